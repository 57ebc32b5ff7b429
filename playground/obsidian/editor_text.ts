import type { ChangeSpec, EditorState } from "@codemirror/state";

/**
 * The separator by which a text is split into lines so that joining them gives the text back byte for byte:
 * `\r\n` only where every break is one, else `\n` (a lone `\r` stays a character of its line).
 */
export function lineBreakOf(text: string): "\n" | "\r\n" {
	return text.includes("\r\n") && !/(^|[^\r])\n/.test(text) ? "\r\n" : "\n";
}

/** True where a text has both kinds of line break. */
export function hasMixedBreaks(text: string): boolean {
	return text.includes("\r\n") && /(^|[^\r])\n/.test(text);
}

/** The smallest single replacement that makes `after` of `before`, so that cursor and undo history survive. */
export function minimalChange(before: string, after: string, state: EditorState): ChangeSpec | null {
	if (before === after) return null;
	const most = Math.min(before.length, after.length);
	let start = 0;
	while (start < most && before[start] === after[start]) start++;
	let end = 0;
	while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
	// Offsets of the state count every line break as one, whatever the separator is.
	const wide = state.lineBreak.length > 1;
	const offset = (at: number): number => (wide ? at - countBreaks(before, at, state.lineBreak) : at);
	if (wide) {
		if (before[start - 1] === "\r") start--;
		if (before[before.length - end] === "\n" && before[before.length - end - 1] === "\r") end--;
	}
	return {
		from: offset(start),
		to: offset(before.length - end),
		insert: state.toText(after.slice(start, after.length - end)),
	};
}

function countBreaks(text: string, until: number, lineBreak: string): number {
	let count = 0;
	for (
		let at = text.indexOf(lineBreak);
		at >= 0 && at < until;
		at = text.indexOf(lineBreak, at + lineBreak.length)
	)
		count++;
	return count;
}
