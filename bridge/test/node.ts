// A real core for the tests: wasm in a worker thread of Node.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { bundleWorker, coreText } from "../../scripts/build/bundle.mjs";
import { buildWasm, compress, installedWasmExec, root } from "../../scripts/build/wasm.mjs";
import type { CoreWorker, Source } from "../launch";

/** Makes Node's worker look like the browser's to worker.ts. */
const BANNER = `
const { parentPort } = require("node:worker_threads");
globalThis.self = globalThis;
self.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
parentPort.on("message", (data) => self.onmessage && self.onmessage({ data }));
`;

/** The worker's code for Node. */
export const nodeWorkerSource = () => bundleWorker(installedWasmExec(), { minify: false, banner: BANNER });

/** The text of a packed core, built from a package. */
export async function packedCore(pkg: string, name: string): Promise<string> {
	const packed = await compress(readFileSync(buildWasm(pkg, join(root, "build", name))), { quick: true });
	return coreText(packed);
}

/** A worker thread of that code. */
export class NodeWorker implements CoreWorker {
	onmessage: CoreWorker["onmessage"] = null;
	onerror: CoreWorker["onerror"] = null;
	onmessageerror: CoreWorker["onmessageerror"] = null;
	readonly #worker: Worker;

	constructor(source: string) {
		this.#worker = new Worker(source, { eval: true });
		this.#worker.on("message", (data: unknown) => this.onmessage?.({ data }));
		this.#worker.on("error", (error) => this.onerror?.({ message: String(error) }));
		this.#worker.on("messageerror", (event) => this.onmessageerror?.(event));
		// A browser's worker does not keep its page open either.
		this.#worker.unref();
	}

	postMessage(message: unknown, transfer?: Transferable[]): void {
		this.#worker.postMessage(message, transfer as []);
	}

	terminate(): void {
		void this.#worker.terminate();
	}
}

/** Where a core of this text comes from; `workers` counts and keeps those made. */
export function nodeSource(text: string, worker: string): Source & { workers: NodeWorker[]; asked: number } {
	const source = {
		workers: [] as NodeWorker[],
		asked: 0,
		text: () => {
			source.asked++;
			return Promise.resolve(text);
		},
		spawn: () => {
			const w = new NodeWorker(worker);
			source.workers.push(w);
			return w;
		},
	};
	return source;
}
