// Which tools the selector shows.

import type { ToolInfo } from "../../protocol";
import { agentTool } from "./plan-edit";

/** A person's search among the tools. */
export interface Wanted {
	text: string;
	/** "" for every category. */
	category: string;
	/** Deprecated ones too. */
	deprecated: boolean;
}

/** The tools that are wanted: pinned ones first, otherwise in the order given. */
export function pick(tools: readonly ToolInfo[], { text, category, deprecated }: Wanted): ToolInfo[] {
	const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
	const found = tools.filter((tool) => {
		if (tool.lifecycle === "deprecated" && !deprecated) return false;
		if (category !== "" && tool.category !== category) return false;
		const about = `${tool.name} ${tool.category} ${tool.description}`.toLocaleLowerCase();
		return words.every((word) => about.includes(word));
	});
	return [...found.filter((tool) => tool.pinned), ...found.filter((tool) => !tool.pinned)];
}

/** Whether the model of an agent step may use a tool: it changes nothing, and asks no other model. */
export function onlyReads(tool: ToolInfo): boolean {
	return (tool.sideEffects === "reads" || tool.sideEffects === "none") && tool.name !== agentTool;
}

/** The categories, in alphabetical order. */
export function categories(tools: readonly ToolInfo[]): string[] {
	return [...new Set(tools.map((tool) => tool.category))].sort();
}

/** A list of names with one put in, or taken out. */
export function toggled(names: readonly string[] | null, name: string): string[] {
	const all = names ?? [];
	return all.includes(name) ? all.filter((n) => n !== name) : [...all, name];
}

/** The first sentence of what a model is told of a tool, as plain text: enough for choosing one. */
export function inShort(description: string): string {
	const first = /^[^]*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description;
	return first.replaceAll("`", "");
}
