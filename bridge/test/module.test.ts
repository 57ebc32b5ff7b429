import { expect, it } from "vitest";
import { fromBase64 } from "../module";

/** Bytes that look random and are the same each time. */
function noise(length: number): Uint8Array {
	let state = length + 1;
	return Uint8Array.from({ length }, () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state >>> 24;
	});
}

it("gives any bytes back, of every length", () => {
	for (let length = 0; length <= 300; length++) {
		for (const bytes of [noise(length), new Uint8Array(length), new Uint8Array(length).fill(255)])
			expect([...fromBase64(Buffer.from(bytes).toString("base64"))]).toEqual([...bytes]);
	}
});
