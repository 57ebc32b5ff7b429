// The parts that main.js carries: the core as text in a comment, and the worker's code.
import workerSource from "bridge:worker";
import type { CoreWorker, Source } from "./launch";

/**
 * Appended to main.js by the build: a function whose only content is a comment
 * with the core in base91. A comment costs the parser least and is not decoded
 * before it is asked for.
 */
declare function embeddedCore(): void;

function coreText(): string {
	const text = embeddedCore.toString();
	return text.slice(text.indexOf("/*\n") + 3, text.lastIndexOf("*/"));
}

function spawn(): CoreWorker {
	const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
	const worker = new Worker(url, { name: "embedded-agent" });
	const loaded = () => URL.revokeObjectURL(url);
	worker.addEventListener("message", loaded, { once: true });
	worker.addEventListener("error", loaded, { once: true });
	return worker as CoreWorker;
}

/** Where the core comes from in the app: out of main.js, into a worker. */
export function embedded(): Source {
	return { text: coreText, spawn };
}
