import { describe, expect, test } from "vitest";
import { mergeTexts } from "./merge";

describe("merging what the editor holds with what is on disk", () => {
	const table: [name: string, base: string, mine: string, theirs: string, merged: string][] = [
		["only mine changed", "a\nb", "a\nB", "a\nb", "a\nB"],
		["only theirs changed", "a\nb", "a\nb", "A\nb", "A\nb"],
		["different lines", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"],
		["both the same", "a\nb", "a\nB", "a\nB", "a\nB"],
		["the same line: mine stays", "a\nb\nc", "a\nmine\nc", "a\ntheirs\nc", "a\nmine\nc"],
		["lines added at both ends", "a\nb", "0\na\nb", "a\nb\nc", "0\na\nb\nc"],
		["mine removed what theirs left", "a\nb\nc\nd", "a\nd", "a\nb\nc\nD", "a\nD"],
		["into an empty text", "", "mine", "", "mine"],
		["insertions in different places", "a\nb\nc\nd", "a\nx\nb\nc\nd", "a\nb\nc\ny\nd", "a\nx\nb\nc\ny\nd"],
	];
	test.each(table)("%s", (_name, base, mine, theirs, merged) => {
		expect(mergeTexts(base, mine, theirs)).toBe(merged);
	});

	test("no line that both sides left alone is ever lost, whatever was done elsewhere", () => {
		let seed = 7;
		const random = (below: number): number => {
			seed = (seed * 1103515245 + 12345) % 2147483648;
			return Math.floor((seed / 2147483648) * below);
		};
		for (let round = 0; round < 300; round++) {
			const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
			const edit = (from: number, mark: string): string[] => {
				const copy = lines.slice();
				for (let n = 0; n < 3; n++) copy[from + random(5)] = `${mark} ${random(9)}`;
				return copy;
			};
			// Mine edits the first half, theirs the second, so nothing overlaps.
			const mine = edit(0, "mine");
			const theirs = edit(7, "theirs");
			const merged = mergeTexts(lines.join("\n"), mine.join("\n"), theirs.join("\n")).split("\n");
			expect(merged).toEqual([...mine.slice(0, 7), ...theirs.slice(7)]);
		}
	});
});
