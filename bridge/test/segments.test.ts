import { expect, it } from "vitest";
import { mergeData } from "../../scripts/build/segments.mjs";

/** A module with one memory and these data segments, in this order. */
function moduleOf(segments: [number, number[]][]): Uint8Array<ArrayBuffer> {
	const leb = (n: number): number[] => (n < 64 ? [n] : [(n & 127) | 128, ...leb(n >> 7)]);
	const section = (id: number, body: number[]) => [id, ...leb(body.length), ...body];
	const data = segments.flatMap(([offset, bytes]) => [
		0,
		0x41,
		...leb(offset),
		0x0b,
		...leb(bytes.length),
		...bytes,
	]);
	return Uint8Array.from([
		...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
		...section(5, [1, 0, 2]),
		...section(7, [1, 1, 0x6d, 2, 0]), // exports the memory as "m"
		...section(11, [...leb(segments.length), ...data]),
	]);
}

async function memoryOf(wasm: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const { instance } = await WebAssembly.instantiate(wasm);
	return new Uint8Array((instance.exports["m"] as WebAssembly.Memory).buffer);
}

it("the memory starts with the same bytes, whatever the order of the segments", async () => {
	const wasm = moduleOf([
		[1000, [1, 2, 3]],
		[70_000, [9]],
		[63, [7, 7]],
		[1003, [4]],
	]);
	const merged = mergeData(wasm);
	expect(await memoryOf(merged)).toEqual(await memoryOf(wasm));
	expect(merged.length).toBeGreaterThan(69_000);
});

it("a segment of another kind is refused", () => {
	const passive = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 11, 4, 1, 1, 1, 5]);
	expect(() => mergeData(passive)).toThrow("Go's linker");
});
