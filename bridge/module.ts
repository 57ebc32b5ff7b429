// From the text inside main.js to a compiled module. It runs in the worker, so
// that the main thread only hands the text over.
import { decompress } from "fzstd";

/** Decodes base64: by the engine where it can, otherwise by a table. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
	const engine = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> })
		.fromBase64;
	return engine ? engine.call(Uint8Array, text) : fromBase64ByTable(text);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Decodes base64 whose length is a multiple of four, without white space. */
export function fromBase64ByTable(text: string): Uint8Array<ArrayBuffer> {
	const value = new Uint8Array(128);
	for (let i = 0; i < ALPHABET.length; i++) value[ALPHABET.charCodeAt(i)] = i;
	const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
	const bytes = new Uint8Array((text.length / 4) * 3 - padding);
	for (let i = 0, at = 0; i < text.length; i += 4, at += 3) {
		const bits =
			((value[text.charCodeAt(i)] ?? 0) << 18) |
			((value[text.charCodeAt(i + 1)] ?? 0) << 12) |
			((value[text.charCodeAt(i + 2)] ?? 0) << 6) |
			(value[text.charCodeAt(i + 3)] ?? 0);
		bytes[at] = bits >> 16;
		bytes[at + 1] = bits >> 8; // past the end only where there is padding: ignored
		bytes[at + 2] = bits;
	}
	return bytes;
}

/** Compiles the core from the base64 of its wasm, which is packed with zstd (docs/adr/0002-zstd.md). */
export async function compileCore(text: string): Promise<WebAssembly.Module> {
	return WebAssembly.compile(decompress(fromBase64(text)) as Uint8Array<ArrayBuffer>);
}
