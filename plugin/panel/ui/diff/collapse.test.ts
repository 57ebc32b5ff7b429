import { describe, expect, it } from "vitest";
import { folds, type Shown } from "./collapse";

const part = (fromA: number, toA: number, fromB: number, toB: number): Shown => ({ fromA, toA, fromB, toB });

describe("folds", () => {
	it("leave two lines around what is shown, and none at the ends of the text", () => {
		expect(folds([part(20, 21, 20, 23)], { a: 40, b: 42 })).toEqual([
			{ a: 1, b: 1, count: 17 },
			{ a: 23, b: 25, count: 18 },
		]);
	});

	it("are as long on both sides, whatever was added or removed above", () => {
		const shown = [part(1, 1, 1, 11), part(30, 40, 40, 40)];
		const found = folds(shown, { a: 60, b: 60 });
		expect(found).toEqual([
			{ a: 3, b: 13, count: 25 },
			{ a: 42, b: 42, count: 19 },
		]);
		for (const { a, b, count } of found) expect([a + count <= 61, b + count <= 61]).toEqual([true, true]);
	});

	it("are not made for a few lines", () => {
		expect(folds([part(5, 6, 5, 6), part(14, 15, 14, 15)], { a: 17, b: 17 })).toEqual([]);
		expect(folds([], { a: 4, b: 4 })).toEqual([]);
	});

	it("stop at a hunk that was left out, though the text there is unchanged", () => {
		const shown = [part(20, 22, 20, 22), part(40, 41, 40, 41)];
		expect(folds(shown, { a: 60, b: 60 }).map((f) => [f.b, f.count])).toEqual([
			[1, 17],
			[24, 14],
			[43, 18],
		]);
	});
});
