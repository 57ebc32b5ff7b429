// The characters that are drawn as marks: control, zero-width and
// direction-changing characters, blank letters, long runs of blanks. The rule is
// the core's (wasm/internal/text); here is only its expression, and a corpus
// holds both to the same.

import { inNames, inText, labels } from "./marks.gen";

/** A stretch of a text that is drawn as a mark. */
export interface Mark {
	from: number;
	to: number;
	label: string;
	/** The characters are drawn too, before their mark. */
	keep: boolean;
}

/** A piece of a text as it is drawn: its characters, the label of its mark, or both. */
export interface Piece {
	text: string;
	label: string;
}

/** The expression, made anew for whoever keeps a place in it. */
export const marked = (name = false): RegExp => new RegExp(name ? inNames : inText, "gu");

// Most texts are printable ASCII, and need no second look.
const plain = /^[\n\x20-\x7e]*$/;
const long = / {33}/;
const texts = marked();
const names = marked(true);

/** The marks of a text, or of a name or path. */
export function marksIn(text: string, name = false): Mark[] {
	if (plain.test(text) && !long.test(text)) return [];
	const found: Mark[] = [];
	const counts: number[] = [];
	for (const match of text.matchAll(name ? names : texts)) {
		const mark = markOf(match, match.index);
		if (!mark) continue;
		const last = found.at(-1);
		if (last && !last.keep && last.to === mark.from && last.label === mark.label) {
			last.to = mark.to;
			counts[found.length - 1] = (counts[found.length - 1] ?? 1) + 1;
		} else {
			found.push(mark);
			counts.push(1);
		}
	}
	found.forEach((mark, i) => {
		if ((counts[i] ?? 1) > 1) mark.label += ` ×${counts[i]}`;
	});
	return found;
}

/** The mark of one match of the expression, or null for what is passed over. */
export function markOf(match: RegExpMatchArray, from: number): Mark | null {
	const [whole, combining, blanks, one, letter] = match;
	const to = from + whole.length;
	if (combining !== undefined) return { from, to, label: `◌ ×${[...whole].length}`, keep: false };
	if (blanks !== undefined) return { from, to, label: `␣ ×${[...whole].length}`, keep: false };
	if (one === undefined && letter === undefined) return null;
	return { from, to, label: labelOf(whole.codePointAt(0) ?? 0), keep: letter !== undefined };
}

/** The short name of a character: Unicode's abbreviation, or its code. */
export function labelOf(code: number): string {
	return labels[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A text in the pieces that it is drawn in. */
export function pieces(text: string, name = false): Piece[] {
	const found = marksIn(text, name);
	const out: Piece[] = [];
	let at = 0;
	const put = (piece: Piece) => {
		if (piece.text || piece.label) out.push(piece);
	};
	for (const mark of found) {
		put({ text: text.slice(at, mark.from), label: "" });
		put({ text: mark.keep ? text.slice(mark.from, mark.to) : "", label: mark.label });
		at = mark.to;
	}
	put({ text: text.slice(at), label: "" });
	return out;
}

/** A text with its marks written out, for where no element can be made: titles, labels, notices. */
export function visible(text: string, name = false): string {
	return pieces(text, name)
		.map((piece) => piece.text + (piece.label && `⟨${piece.label}⟩`))
		.join("");
}
