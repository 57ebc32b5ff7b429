// The finds of a read-only step, as a list that a person can read and open.

import type { Plugin } from "../../../protocol";

/** One place: a note, and where in it. */
export interface Place {
	path: string;
	line: string;
	text: string;
}

/**
 * The places in a step's output: the first list of objects that have a path.
 * Null for an output of another kind, and for one that was cut off.
 */
export function places(json: string): Place[] | null {
	let output: unknown;
	try {
		output = JSON.parse(json);
	} catch {
		return null;
	}
	if (!isObject(output)) return null;
	for (const list of Object.values(output)) {
		if (!Array.isArray(list) || list.length === 0) continue;
		const found = list.map(placeOf);
		if (found.every((place): place is Place => place !== null)) return found;
	}
	return null;
}

function placeOf(item: unknown): Place | null {
	if (!isObject(item) || typeof item["path"] !== "string") return null;
	const line = typeof item["line"] === "number" ? String(item["line"]) : "";
	return { path: item["path"], line, text: typeof item["text"] === "string" ? item["text"].trim() : "" };
}

/** The community plugins in the output of plugins.search; none where it was cut off. */
export function pluginsIn(json: string): Plugin[] {
	try {
		const output: unknown = JSON.parse(json);
		const found = isObject(output) ? output["plugins"] : [];
		return Array.isArray(found) ? found.filter(isPlugin) : [];
	} catch {
		return [];
	}
}

function isPlugin(value: unknown): value is Plugin {
	const texts = ["id", "name", "author", "description"];
	return isObject(value) && texts.every((key) => typeof value[key] === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
