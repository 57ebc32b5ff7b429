// One running core: the compiled module with the Go runtime around it. It runs
// the same in the worker and, where there is none, on the main thread.
import { load } from "go:wasm-exec";
import { Outbox, type Batch } from "./batch";
import { words } from "./problem";

/** A running core. */
export interface Core {
	/** Hands over a batch of messages. */
	receive(batch: Batch): void;
	/** Lets the core run no further. */
	stop(): void;
}

const KEEP_LINES = 40;

/**
 * The global object for Go: nothing of the app or the network is in it, and for scripts no place to keep
 * anything. What of the browser may throw when it is looked at is a function.
 */
function globals(bridge: object, scripts: boolean): object {
	const places = { storage: () => self.navigator.storage, indexedDB: () => self.indexedDB };
	const records = scripts ? undefined : { ...places, range: self.IDBKeyRange };
	const { crypto, performance, TextEncoder, TextDecoder, Blob, OffscreenCanvas } = self;
	const own = { crypto, performance, TextEncoder, TextDecoder, bridge, records };
	const images = { Blob, OffscreenCanvas, createImageBitmap: (blob: Blob) => self.createImageBitmap(blob) };
	return { Object, Array, Uint8Array, Date, Error, ...own, ...images };
}

/**
 * Starts a core. It posts batches by `post`, and tells by `died`, once, that it
 * is no more: it left main, panicked, or let an exception through. After that a
 * Go program may still seem to answer, so nothing is passed to or from it. `args`
 * are the program's arguments. Fails when the core does not come up.
 */
export async function startCore(
	module: WebAssembly.Module,
	post: (batch: Batch, transfer: Transferable[]) => void,
	died: (reason: string) => void,
	args: string[] = [],
): Promise<Core> {
	let over = false;
	const output: string[] = [];
	const outbox = new Outbox(post);
	const timers = new Set<number>();

	const stop = () => {
		over = true;
		outbox.close();
		for (const id of timers) self.clearTimeout(id);
		timers.clear();
	};
	const die = (reason: string) => {
		if (over) return;
		stop();
		died([reason, ...output].join("\n"));
	};
	const guard = (f: () => void) => {
		if (over) return;
		try {
			f();
		} catch (error) {
			die(words(error));
		}
	};

	const print = (line: unknown) => {
		if (output.push(String(line)) > KEEP_LINES) output.splice(KEEP_LINES / 2, 1);
	};
	const later = (callback: () => void, ms: number): number => {
		const id = self.setTimeout(() => {
			timers.delete(id);
			guard(callback);
		}, ms);
		timers.add(id);
		return id;
	};
	const never = (id: number) => {
		timers.delete(id);
		self.clearTimeout(id);
	};

	const bridge = {
		blob: outbox.blob,
		send: outbox.send,
		ready: (): void => undefined,
		receive: (_messages: unknown[], _blobs: unknown[]): void => undefined,
	};
	const Go = load(globals(bridge, args.length > 0), later, never, { log: print, warn: print });
	const go = new Go();
	let code: number | undefined;
	go.exit = (c) => (code = c);
	go.argv.push(...args);

	const instance = await WebAssembly.instantiate(module, go.importObject);
	await new Promise<void>((resolve, reject) => {
		bridge.ready = resolve;
		const ended = (reason: string) => {
			reject(new Error([reason, ...output].join("\n")));
			die(reason);
		};
		go.run(instance).then(
			() => ended(`the core ended with code ${code ?? "?"}`),
			(error: unknown) => ended(words(error)),
		);
	});
	return { receive: (batch) => guard(() => bridge.receive(batch.m, batch.b)), stop };
}
