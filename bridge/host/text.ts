import type { Content } from "../protocol.gen";

const encoder = new TextEncoder();
// A BOM is part of the text, and what is not UTF-8 is no text.
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const BOM = "\uFEFF";

/** The text of bytes, or null where they are not UTF-8. */
export function decode(bytes: ArrayBuffer | Uint8Array): string | null {
	try {
		return strict.decode(bytes);
	} catch {
		return null; // the one thing that a fatal decoder throws for
	}
}

/** A content that crossed: text, or bytes. */
export function unpack(content: Content, blobs: Uint8Array[]): string | Uint8Array {
	return content.blob < 0 ? content.text : (blobs[content.blob] ?? new Uint8Array());
}

/** Puts bytes together. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const out = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
	let at = 0;
	for (const part of parts) {
		out.set(part, at);
		at += part.length;
	}
	return out;
}

/** As bytes in a buffer of their own. */
export function toBytes(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
	if (typeof content === "string") return encoder.encode(content);
	return content.byteLength === content.buffer.byteLength && content.buffer instanceof ArrayBuffer
		? (content as Uint8Array<ArrayBuffer>)
		: new Uint8Array(content);
}

/** Says whether two byte strings are the same. */
export function sameBytes(a: ArrayBuffer, b: Uint8Array): boolean {
	const x = new Uint8Array(a);
	return x.length === b.length && x.every((byte, i) => byte === b[i]);
}

/** Text with line feeds alone, as editors hold it. */
export function lines(text: string): string {
	return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Where two texts differ: the range of `before` that `text` takes the place of. */
export function difference(before: string, after: string): { from: number; to: number; text: string } {
	const most = Math.min(before.length, after.length);
	let from = 0;
	while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from++;
	if (isLow(before, from) || isLow(after, from)) from--; // not between the halves of a character
	let end = 0;
	while (
		end < most - from &&
		before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
	) {
		end++;
	}
	if (end > 0 && (isLow(before, before.length - end) || isLow(after, after.length - end))) end--;
	return { from, to: before.length - end, text: after.slice(from, after.length - end) };
}

function isLow(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
