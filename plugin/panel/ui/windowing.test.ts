import { describe, expect, it } from "vitest";
import { Heights, withKept } from "./windowing";

/** The same answers, the slow way. */
function slow(heights: number[]) {
	const tops = heights.map((_, i) => heights.slice(0, i).reduce((a, b) => a + b, 0));
	return { tops, at: (y: number) => tops.findLastIndex((top) => top <= y) };
}

describe("Heights", () => {
	it("agree with adding the rows up, whichever rows are open", () => {
		for (const open of [[], [0], [3], [2, 3, 9], [9], [0, 1, 2]]) {
			const all = Array.from({ length: 10 }, (_, i) => (open.includes(i) ? 100 + i : 32));
			const h = new Heights(10, 32);
			open.forEach((i) => h.set(i, 100 + i));
			const truth = slow(all);
			all.forEach((_, i) => expect(h.top(i)).toBe(truth.tops[i]));
			expect(h.total).toBe(all.reduce((a, b) => a + b, 0));
			for (let y = 0; y < h.total; y += 7) expect(h.at(y), `open ${open.join()} at ${y}`).toBe(truth.at(y));
		}
	});

	it("go back when a row closes, and say whether anything moved", () => {
		const h = new Heights(5, 32);
		expect(h.set(2, 200)).toBe(true);
		expect(h.set(2, 200)).toBe(false);
		expect(h.set(2, 32)).toBe(true);
		expect(h.total).toBe(160);
	});

	it("draw a handful of rows of ten thousand", () => {
		const h = new Heights(10_000, 32);
		expect(h.visible(0, 320, 4)).toEqual({ from: 0, to: 15 });
		expect(h.visible(160_000, 320, 4)).toEqual({ from: 4996, to: 5015 });
		expect(h.visible(319_680, 320, 4)).toEqual({ from: 9986, to: 10_000 });
	});

	it("draw nothing while the list is out of sight", () => {
		const h = new Heights(100, 32);
		expect(h.visible(-900, 320, 4)).toEqual({ from: 0, to: 0 });
		expect(h.visible(9000, 320, 4)).toEqual({ from: 0, to: 0 });
		expect(new Heights(0, 32).visible(0, 320, 4)).toEqual({ from: 0, to: 0 });
	});
});

describe("withKept", () => {
	it("gives the rows in sight and those that stay, in order and each once", () => {
		expect(withKept(4, 7, [])).toEqual([4, 5, 6]);
		expect(withKept(4, 7, [5, 9, 1, 9])).toEqual([1, 4, 5, 6, 9]);
		expect(withKept(0, 0, [3])).toEqual([3]);
	});
});
