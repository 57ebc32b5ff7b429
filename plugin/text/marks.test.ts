import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { marksIn, pieces, visible } from "./marks";

interface Agreed {
	text: string;
	name?: boolean;
	marks: [number, number][];
	words: string[];
}

const corpus = readFileSync("wasm/internal/text/testdata/marks.jsonl", "utf8")
	.trimEnd()
	.split("\n")
	.map((line) => JSON.parse(line) as Agreed);

describe("marks", () => {
	it("are where the core's rule has them, on every text of its corpus", () => {
		expect(corpus.length).toBeGreaterThan(1000);
		for (const { text, name, marks, words } of corpus) {
			const found = marksIn(text, name);
			expect({ text, name, marks: found.map(({ from, to }) => [from, to]) }).toEqual({ text, name, marks });
			expect(found.map(({ label }) => label)).toEqual(words);
		}
	});

	it("take nothing of a text away but what they stand for", () => {
		for (const { text, name } of corpus) {
			const kept = pieces(text, name)
				.map((piece) => piece.text)
				.join("");
			const marks = marksIn(text, name).filter((mark) => !mark.keep);
			const hidden = marks.reduce((n, { from, to }) => n + to - from, 0);
			expect(kept.length + hidden).toBe(text.length);
		}
	});

	it("are drawn for half a surrogate, which the core cannot send", () => {
		expect(visible("a\ud800b")).toBe("a⟨U+D800⟩b");
	});

	it("cost no square of a text's length", () => {
		const word = "\u0430".repeat(20_000);
		expect(marksIn(word, true)).toEqual([]);
		expect(marksIn("\u200b".repeat(100_000))).toHaveLength(1);
		expect(marksIn(" ".repeat(1_000_000))).toHaveLength(1);
	});
});
