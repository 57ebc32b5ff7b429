// What a call in the log found that people choose from.

import type { Plugin } from "../../../protocol";

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
