import { expect, it } from "vitest";
import type { Finding } from "../../../protocol";
import { missing, next, noteOf, said, sorted, type Sorting } from "./findings";

const table: Finding = {
	text: { key: "finding.mentions.places", params: { query: "compost", n: "2", total: "4" } },
	count: 4,
	columns: [
		{ name: "path", label: { key: "finding.column.path" }, kind: "note" },
		{ name: "size", kind: "number" },
	],
	rows: [
		[{ text: "Note 10.md", path: "Note 10.md", line: 2 }, { text: "9" }],
		[{ text: "Note 2.md", path: "Note 2.md" }, { text: "" }],
		[{ text: "Note 10.md", path: "Note 10.md", line: 1 }, { text: "10" }],
		[{ text: "Note 1.md", path: "Note 1.md" }, { text: "-3" }],
	],
};

const places = (by: Sorting | null) => sorted(table, by).map(({ place }) => place);

it("says how much was found, in the words of the plan or in its own", () => {
	expect(said(table)).toBe("2 notes mention “compost”, in 4 places.");
	expect(said({ ...table, words: "{n} notes have no links.", count: 1208 })).toBe(
		"1,208 notes have no links.",
	);
	expect(said({ text: { key: "finding.mentions.none", params: { query: "compost" } }, count: 0 })).toBe(
		"No notes mention “compost”.",
	);
});

it("sorts names as people count, and lines of a note by their number", () => {
	expect(places(null)).toEqual([0, 1, 2, 3]);
	expect(places({ column: 0, down: false })).toEqual([3, 1, 2, 0]);
	expect(places({ column: 0, down: true })).toEqual([0, 2, 1, 3]);
});

it("sorts numbers by their value, and what is empty last both ways", () => {
	expect(places({ column: 1, down: false })).toEqual([3, 0, 2, 1]);
	expect(places({ column: 1, down: true })).toEqual([2, 0, 3, 1]);
});

it("sorts up, down, and then as the plan has it", () => {
	const up = next(null, 1);
	expect(up).toEqual({ column: 1, down: false });
	expect(next(up, 0)).toEqual({ column: 0, down: false });
	expect(next(up, 1)).toEqual({ column: 1, down: true });
	expect(next(next(up, 1), 1)).toBeNull();
});

it("counts the rows that are not at hand, of tables alone", () => {
	expect(missing(table)).toBe(0);
	expect(missing({ ...table, count: 3000 })).toBe(2996);
	expect(missing({ text: { key: "finding.value", params: { value: "12" } }, count: 12 })).toBe(0);
});

it("makes a note of what is seen: one line as its title, sorted, in the person's words", () => {
	const note = noteOf(`Which notes?\n${"x".repeat(200)}`, [table], [{ column: 0, down: false }]);
	expect(note.title).toBe("Which notes?");
	expect(note.parts[0]?.columns).toEqual(["Note", "size"]);
	expect(note.parts[0]?.rows?.map((row) => row[0]?.text)).toEqual([
		"Note 1.md",
		"Note 2.md",
		"Note 10.md",
		"Note 10.md",
	]);
	expect(noteOf("🌱".repeat(100), [], []).title).toBe("🌱".repeat(80));
});
