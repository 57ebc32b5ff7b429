import type { Envelope } from "./protocol.gen";

/** One crossing: messages, and the bytes that they name by index. */
export interface Batch {
	m: Envelope[];
	b: Uint8Array[];
}

/** Says whether a message from the other side is a batch. */
export function isBatch(data: unknown): data is Batch {
	return typeof data === "object" && data !== null && "m" in data && "b" in data;
}

// A sender that works without a pause would hold its messages back for as long:
// so a batch also goes when it is large, or has waited.
const MAX_MESSAGES = 64;
const MAX_WAIT_MS = 8;
// Handing over a small buffer costs more than copying it.
const MIN_TRANSFER = 16 * 1024;

/** Collects what is sent during one turn of the event loop and posts it as one batch. */
export class Outbox {
	#messages: Envelope[] = [];
	#blobs: Uint8Array[] = [];
	#since = 0;
	#closed = false;

	constructor(private readonly post: (batch: Batch, transfer: Transferable[]) => void) {}

	/**
	 * Puts bytes into the batch under way and gives their index. Bytes that
	 * fill their buffer may be handed over: do not use them afterwards.
	 */
	readonly blob = (bytes: Uint8Array): number => this.#blobs.push(bytes) - 1;

	/** Puts a message into the batch under way. Blobs it names come right before it. */
	readonly send = (message: Envelope): void => {
		if (this.#closed) return;
		if (this.#messages.push(message) === 1) {
			this.#since = performance.now();
			queueMicrotask(this.flush);
		} else if (this.#messages.length >= MAX_MESSAGES || performance.now() - this.#since > MAX_WAIT_MS) {
			this.flush();
		}
	};

	/** Posts what there is. */
	readonly flush = (): void => {
		if (this.#messages.length === 0) return;
		const batch: Batch = { m: this.#messages, b: this.#blobs };
		this.#messages = [];
		this.#blobs = [];
		const whole = batch.b.filter((b) => b.byteLength >= MIN_TRANSFER && b.byteLength === b.buffer.byteLength);
		this.post(batch, [...new Set(whole.map((b) => b.buffer as ArrayBuffer))]);
	};

	/** Drops what has not been posted, and whatever comes. */
	close(): void {
		this.#closed = true;
		this.#messages = [];
		this.#blobs = [];
	}
}
