// Brings a core up: in a worker, or on the main thread where no worker starts.
import { isBatch, type Batch } from "./batch";
import { startCore } from "./core";
import { compileCore } from "./module";
import { words } from "./problem";
import type { Start, Told } from "./worker";

/** The part of Worker that is used. */
export interface CoreWorker {
	postMessage(message: unknown, transfer?: Transferable[]): void;
	terminate(): void;
	onmessage: ((event: { data: unknown }) => void) | null;
	onerror: ((event: { message?: string }) => void) | null;
	onmessageerror: ((event: unknown) => void) | null;
}

/** Where a core comes from. `module` is kept from the first start, for the next. */
export interface Source {
	/** The core as text (module.ts); asked for once. */
	text: () => Promise<string>;
	/** Makes a worker of worker.ts; throws where there are none. */
	spawn: () => CoreWorker;
	module?: WebAssembly.Module;
}

/** A core that is up. */
export interface Life {
	inWorker: boolean;
	post(batch: Batch, transfer: Transferable[]): void;
	stop(): void;
}

/** A core that is up. Nothing comes after `died`. */
export interface Listener {
	batch(batch: Batch): void;
	died(reason: string): void;
}

// A worker says that it is alive before it does anything: where it does not,
// the host has no workers that work.
const ALIVE_MS = 8_000;
const READY_MS = 60_000;

/** Why there is no worker. */
export class NoWorker extends Error {}

/** Starts a core. Fails with the reason when it does not come up. */
export async function launch(source: Source, listener: Listener): Promise<Life> {
	try {
		return await launchWorker(source, listener);
	} catch (error) {
		if (!(error instanceof NoWorker)) throw error;
		console.warn("Embedded Agent: no worker, the core runs on the main thread.", error.message);
		return launchHere(source, listener);
	}
}

/**
 * Starts a core in a worker. With `sandbox` it is the sandbox for scripts, with so
 * many megabytes of memory; a sandbox is never started anywhere else.
 */
export function launchWorker(source: Source, listener: Listener, sandbox?: number): Promise<Life> {
	let worker: CoreWorker;
	try {
		worker = source.spawn();
	} catch (error) {
		return Promise.reject(new NoWorker(words(error)));
	}
	return new Promise<Life>((resolve, reject) => {
		let alive = false;
		let over = false;
		const stop = () => {
			over = true;
			self.clearTimeout(timer);
			worker.onmessage = worker.onerror = worker.onmessageerror = null;
			worker.terminate();
		};
		const end = (reason: string) => {
			if (over) return;
			stop();
			reject(alive ? new Error(reason) : new NoWorker(reason)); // without effect once it was up
			listener.died(reason);
		};
		let timer = self.setTimeout(() => end("the worker did not start"), ALIVE_MS);
		worker.onerror = (event) => end(event.message ?? "the worker failed");
		worker.onmessageerror = () => end("a message could not be read");
		const begin = async () => {
			const start: Start = source.module ? { module: source.module } : { text: await source.text() };
			if (!over) worker.postMessage({ ...start, sandbox });
		};
		worker.onmessage = ({ data }) => {
			if (over) return;
			if (isBatch(data)) return listener.batch(data);
			const told = data as Told;
			if (told.module) source.module = told.module;
			if (told.dead !== undefined) end(told.dead);
			if (told.alive && !alive) {
				alive = true;
				self.clearTimeout(timer);
				timer = self.setTimeout(() => end("the core did not come up"), READY_MS);
				begin().catch((error: unknown) => end(String(error)));
			}
			if (told.ready) {
				self.clearTimeout(timer);
				resolve({ inWorker: true, post: (batch, transfer) => worker.postMessage(batch, transfer), stop });
			}
		};
	});
}

/**
 * Runs the core on this thread. Batches go through a task of their own each
 * way, as they do with a worker, so that the interface stays responsive between
 * them.
 */
async function launchHere(source: Source, listener: Listener): Promise<Life> {
	source.module ??= await compileCore(await source.text());
	const { port1: here, port2: there } = new MessageChannel();
	let closed = false;
	const close = () => {
		closed = true;
		here.close();
		there.close();
	};
	const core = await startCore(
		source.module,
		(batch, transfer) => there.postMessage(batch, transfer),
		(reason) => {
			close();
			listener.died(reason);
		},
	);
	here.onmessage = ({ data }) => {
		if (!closed) listener.batch(data as Batch);
	};
	there.onmessage = ({ data }) => {
		if (!closed) core.receive(data as Batch);
	};
	return {
		inWorker: false,
		post: (batch, transfer) => here.postMessage(batch, transfer),
		stop: () => {
			close();
			core.stop();
		},
	};
}
