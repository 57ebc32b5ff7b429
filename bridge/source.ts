// The parts that main.js carries: the core and its decoder, and the worker's code.
import workerSource from "bridge:worker";
import type { CoreWorker, Source } from "./launch";

/**
 * The core as text (module.ts). Imported when it is first asked for: the bundler
 * puts each of these strings into a function of its own, which the engine reads
 * over until then.
 */
async function coreText(): Promise<string> {
	const [decoder, core] = await Promise.all([import("core:decoder"), import("core:packed")]);
	return `${decoder.default} ${core.default}`;
}

function spawn(): CoreWorker {
	const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
	const worker = new Worker(url, { name: "embedded-agent" });
	const loaded = () => URL.revokeObjectURL(url);
	for (const event of ["message", "error"]) worker.addEventListener(event, loaded, { once: true });
	return worker as CoreWorker;
}

/** Where the core comes from in the app: out of main.js, into a worker. */
export function embedded(): Source {
	return { text: coreText, spawn };
}
