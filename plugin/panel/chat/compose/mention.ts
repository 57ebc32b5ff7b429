// Names that the person begins to write in the message: @ names something of the
// vault, / at the very beginning names a saved action.

/** A name that is being written: the text from `from` to `to` is its sign and the query. */
export interface Mention {
	kind: "name" | "action";
	query: string;
	from: number;
	to: number;
}

/** A name longer than this is no name any more. */
const longest = 80;

/** The name that the caret is in, or null. */
export function mentionAt(text: string, caret: number): Mention | null {
	const before = text.slice(0, caret);
	const line = before.slice(before.lastIndexOf("\n") + 1);
	if (before === line && line.startsWith("/")) return mention("action", before, 0);
	// An address (name@example.org) is no mention: the sign begins a word.
	const at = /(?:^|[\s([{"'\u201c\u201e\u00ab])@([^@]*)$/.exec(line);
	if (!at) return null;
	const query = at[1] ?? "";
	return query.startsWith(" ") ? null : mention("name", before, before.length - query.length - 1);
}

function mention(kind: Mention["kind"], before: string, from: number): Mention | null {
	const query = before.slice(from + 1);
	return query.length > longest ? null : { kind, query, from, to: before.length };
}

/** The text with words in the place of a mention, and where the caret is then. */
export function replaceMention(text: string, at: Mention, words: string): { text: string; caret: number } {
	const after = text.slice(at.to);
	const space = words === "" || /^\s/.test(after) ? "" : " ";
	return {
		text: text.slice(0, at.from) + words + space + after,
		caret: at.from + words.length + (words === "" ? 0 : 1),
	};
}
