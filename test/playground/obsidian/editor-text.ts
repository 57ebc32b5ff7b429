import type { ChangeSpec } from "@codemirror/state";

/** Text as an editor holds it: with line feeds alone. */
export function editorText(text: string): string {
	return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The smallest single replacement that makes `after` of `before`, so that cursor and undo history survive. */
export function minimalChange(before: string, after: string): ChangeSpec | null {
	if (before === after) return null;
	const most = Math.min(before.length, after.length);
	let start = 0;
	while (start < most && before[start] === after[start]) start++;
	let end = 0;
	while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
