const encoder = new TextEncoder();
// ignoreBOM keeps a byte order mark as a character, so that it survives being read and written.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes as text; invalid UTF-8 becomes replacement characters, a byte order mark stays. */
export function decodeText(bytes: Uint8Array): string {
	return decoder.decode(bytes);
}

export function encodeText(text: string): Uint8Array<ArrayBuffer> {
	return encoder.encode(text);
}
