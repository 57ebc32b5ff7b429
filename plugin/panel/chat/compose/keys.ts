// The meaning of keys in the message.

/** The parts of a keyboard event that matter here. */
export interface Key {
	key: string;
	shiftKey: boolean;
	altKey: boolean;
	ctrlKey: boolean;
	metaKey: boolean;
	isComposing: boolean;
	keyCode: number;
}

/** Where the caret is in the text. */
export interface Caret {
	value: string;
	selectionStart: number | null;
	selectionEnd: number | null;
}

/** The deed that a key asks for; "" leaves it to the text field. */
export type Meaning = "run" | "queue" | "stop" | "older" | "newer" | "";

/**
 * Enter runs and Shift+Enter breaks the line; with enterBreaks it is the other
 * way round, and Ctrl or Cmd with Enter always runs. Alt+Enter queues. Escape
 * stops; the up and down arrows at the text's very edges recall what was said.
 * While an input method composes, every key is its own (key code 229 is what
 * browsers send for the Enter that ends a composition, after isComposing has
 * gone back to false).
 */
export function keyMeans(key: Key, text: Caret, enterBreaks = false): Meaning {
	if (composes(key)) return "";
	if (key.key === "Enter") return enterMeans(key, enterBreaks);
	if (key.shiftKey || key.altKey || key.ctrlKey || key.metaKey) return "";
	if (key.key === "Escape") return "stop";
	if (text.selectionStart !== text.selectionEnd) return "";
	if (key.key === "ArrowUp" && text.selectionStart === 0) return "older";
	if (key.key === "ArrowDown" && text.selectionStart === text.value.length) return "newer";
	return "";
}

/** Whether an input method has the key. */
export function composes(key: Key): boolean {
	return key.isComposing || key.keyCode === 229;
}

function enterMeans(key: Key, enterBreaks: boolean): Meaning {
	if (key.altKey) return "queue";
	if (key.ctrlKey || key.metaKey) return "run";
	// A break is left to the field, which does it with its own undo.
	return key.shiftKey === enterBreaks ? "run" : "";
}

/**
 * The message that is `step` older (1) or newer (-1) than the one recalled at
 * `at` (-1: none yet). Null where there is none, and where the text has been
 * changed, so that nothing written is lost.
 */
export function recall(
	said: readonly string[],
	at: number,
	step: 1 | -1,
	draft: string,
): { at: number; text: string } | null {
	const current = at < 0 ? "" : said[said.length - 1 - at];
	if (draft !== current && draft !== "") return null;
	const next = (draft === "" ? -1 : at) + step;
	if (next === -1) return { at: -1, text: "" };
	const text = said[said.length - 1 - next];
	return next < 0 || text === undefined ? null : { at: next, text };
}
