// The sections of a module (WebAssembly core specification, 5.5.2).

export interface Section {
	id: number;
	/** Where its id stands, its content begins, and it ends. */
	start: number;
	body: number;
	end: number;
}

/** Reads an unsigned LEB128 number of up to 53 bits; gives it and the place after it. */
export function leb128(bytes: Uint8Array, at: number): [value: number, after: number] {
	let value = 0;
	for (let shift = 0; ; shift += 7) {
		const byte = bytes[at++] ?? 0;
		value += (byte & 127) * 2 ** shift;
		if (byte < 128) return [value, at];
	}
}

/** Goes through the sections of a module, which begin after its magic number and its version. */
export function* sections(wasm: Uint8Array): Generator<Section> {
	for (let start = 8; start < wasm.length;) {
		const [size, body] = leb128(wasm, start + 1);
		const end = body + size;
		yield { id: wasm[start] as number, start, body, end };
		start = end;
	}
}
