import { describe, expect, it } from "vitest";
import { mentionAt, replaceMention } from "./mention";

describe("a mention", () => {
	const cases: [string, string, ReturnType<typeof mentionAt>][] = [
		["begins with @", "see @", { kind: "name", query: "", from: 4, to: 5 }],
		["goes on with what is written", "@Read li", { kind: "name", query: "Read li", from: 0, to: 8 }],
		["may stand in brackets", "(@a", { kind: "name", query: "a", from: 1, to: 3 }],
		["names a heading of a note", "@Plan#Nex", { kind: "name", query: "Plan#Nex", from: 0, to: 9 }],
		["is not in an address", "me@example.org", null],
		["is over with a space after the sign", "@ home", null],
		["is over in the next line", "@a\nb", null],
		["is not endless", `@${"a".repeat(81)}`, null],
		["is an action where / is the first sign", "/dai", { kind: "action", query: "dai", from: 0, to: 4 }],
		["is no action elsewhere", "and/or", null],
		["is no action in a later line", "a\n/b", null],
	];
	it.each(cases)("%s", (_name, text, expected) => {
		expect(mentionAt(text, text.length)).toEqual(expected);
	});

	it("is looked for before the caret only", () => {
		expect(mentionAt("@ab and @cd", 3)).toEqual({ kind: "name", query: "ab", from: 0, to: 3 });
	});

	it("gives way to the words that were chosen, with one space after them", () => {
		const at = mentionAt("see @re", 7)!;
		expect(replaceMention("see @re", at, "[[Reading]]")).toEqual({ text: "see [[Reading]] ", caret: 16 });
		expect(replaceMention("see @re now", at, "[[Reading]]")).toEqual({
			text: "see [[Reading]] now",
			caret: 16,
		});
		expect(replaceMention("/da", mentionAt("/da", 3)!, "")).toEqual({ text: "", caret: 0 });
	});
});
