// From the text inside main.js to a compiled module. It runs in the worker, so
// that the main thread only hands the text over. Why zstd, and why its decoder
// is wasm too: docs/adr/0002-zstd.md.

import { leb128, sections } from "./sections";
import { unfilter } from "./unfilter";

/** Decodes base64: main.js has the core and the words in it. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
	const letters = atob(text);
	const bytes = new Uint8Array(letters.length);
	for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
	return bytes;
}

/** The exports of the decoder's wasm: the C interface of Zstandard's library. */
interface Zstd {
	memory: WebAssembly.Memory;
	malloc(size: number): number;
	ZSTD_findDecompressedSize(from: number, size: number): bigint;
	ZSTD_decompress(to: number, room: number, from: number, size: number): number;
}

const MAX_SIZE = 256 * 1024 * 1024;

/** Inflates one Zstandard frame (RFC 8878) that says how long its content is, by the decoder given. */
export async function inflate(
	decoder: Uint8Array<ArrayBuffer>,
	packed: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
	const { instance } = await WebAssembly.instantiate(decoder, {
		env: { emscripten_notify_memory_growth: () => undefined },
	});
	const zstd = instance.exports as unknown as Zstd;
	const from = zstd.malloc(packed.length);
	new Uint8Array(zstd.memory.buffer).set(packed, from);
	const size = Number(zstd.ZSTD_findDecompressedSize(from, packed.length));
	if (!(size > 0 && size < MAX_SIZE)) throw new Error("the core in main.js is damaged");
	const to = zstd.malloc(size);
	const got = zstd.ZSTD_decompress(to, size, from, packed.length);
	if (got !== size) throw new Error("the core in main.js is damaged");
	return new Uint8Array(zstd.memory.buffer, to, size);
}

const PAGE = 64 * 1024;

/** The section of a module that declares its memory. */
const MEMORY = 5;

/**
 * Writes a maximum into the memory section of a module, in megabytes: its memory
 * grows no further. Fails where the module is not as Go's linker makes it, with
 * one memory that has no maximum.
 */
export function limitMemory(wasm: Uint8Array<ArrayBuffer>, megabytes: number): Uint8Array<ArrayBuffer> {
	for (const { id, start, body, end } of sections(wasm)) {
		if (id !== MEMORY) continue;
		const [memories, flagsAt] = leb128(wasm, body);
		const [flags, minAt] = leb128(wasm, flagsAt);
		const [min, after] = leb128(wasm, minAt);
		if (memories !== 1 || flags !== 0 || after !== end) break;
		const max = Math.max(Math.floor((megabytes * 1024 * 1024) / PAGE), min);
		const content = [1, 1, ...written(min), ...written(max)];
		const limited = [MEMORY, ...written(content.length), ...content];
		const out = new Uint8Array(wasm.length + limited.length - (end - start));
		out.set(wasm.subarray(0, start));
		out.set(limited, start);
		out.set(wasm.subarray(end), start + limited.length);
		return out;
	}
	throw new Error("the core declares its memory in another way than expected");
}

/** A number in unsigned LEB128. */
function written(value: number): number[] {
	return value < 128 ? [value] : [(value & 127) | 128, ...written(value >>> 7)];
}

/** Inflates what was deflated (RFC 1951), by the engine itself. */
async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Compiles the core from the text in main.js: the deflated decoder and the packed
 * wasm in base64, with a space between. `megabytes`, where given, is all the memory
 * that it may have.
 */
export async function compileCore(text: string, megabytes?: number): Promise<WebAssembly.Module> {
	const [decoder = "", core = ""] = text.split(" ", 2);
	const wasm = await inflate(await deflated(fromBase64(decoder)), fromBase64(core));
	unfilter(wasm);
	return WebAssembly.compile(megabytes ? limitMemory(wasm, megabytes) : wasm);
}
