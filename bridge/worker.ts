// The worker: compiles the core, or takes it compiled, and passes batches.
import { isBatch } from "./batch";
import { startCore, type Core } from "./core";
import { compileCore } from "./module";
import { words } from "./problem";

/**
 * The first message to the worker: the core as text, or compiled. `sandbox` makes
 * it the sandbox for scripts, with so many megabytes of memory.
 */
export interface Start {
	text?: string;
	module?: WebAssembly.Module;
	sandbox?: number;
}

/** What the worker tells beside batches, one of these at a time. */
export interface Told {
	alive?: true;
	module?: WebAssembly.Module;
	ready?: true;
	dead?: string;
}

interface WorkerScope {
	postMessage(message: unknown, transfer?: Transferable[]): void;
	onmessage: ((event: { data: unknown }) => void) | null;
}

const scope = self as unknown as WorkerScope;
const tell = (told: Told) => scope.postMessage(told);

async function start(what: Start): Promise<Core> {
	let module = what.module;
	if (!module) {
		module = await compileCore(what.text ?? "", what.sandbox);
		tellModule(module);
	}
	return startCore(
		module,
		(batch, transfer) => scope.postMessage(batch, transfer),
		(reason) => tell({ dead: reason }),
		what.sandbox ? ["sandbox"] : [],
	);
}

/** Gives the compiled module to the main thread, for restarts. An engine that cannot compiles again. */
function tellModule(module: WebAssembly.Module): void {
	try {
		tell({ module });
	} catch (error) {
		if (!(error instanceof DOMException)) throw error;
	}
}

let core: Core | undefined;
scope.onmessage = ({ data }) => {
	if (isBatch(data)) {
		core?.receive(data);
		return;
	}
	start(data as Start).then(
		(started) => {
			core = started;
			tell({ ready: true });
		},
		(error: unknown) => tell({ dead: words(error) }),
	);
};
tell({ alive: true });
