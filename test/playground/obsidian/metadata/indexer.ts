import type { IndexRequest, IndexResponse, NoteRecord } from "./index-worker";

/** Talks to the worker that parses notes. */
export class Indexer {
	private readonly worker: Worker;
	private readonly waiting = new Map<number, (records: (NoteRecord | null)[]) => void>();
	private next = 1;

	constructor(address: string) {
		this.worker = new Worker(address);
		this.worker.addEventListener("message", (message: MessageEvent<IndexResponse>) => {
			this.waiting.get(message.data.id)?.(message.data.records);
			this.waiting.delete(message.data.id);
		});
		this.worker.addEventListener("error", (event) =>
			console.error("The metadata worker failed.", event.message),
		);
	}

	/** Records in the order of the notes. The bytes are handed over, not copied. */
	parse(bytes: Uint8Array, sizes: number[]): Promise<(NoteRecord | null)[]> {
		const id = this.next++;
		const own = bytes.slice();
		const request: IndexRequest = { id, bytes: own, sizes };
		return new Promise((resolve) => {
			this.waiting.set(id, resolve);
			this.worker.postMessage(request, [own.buffer]);
		});
	}
}
