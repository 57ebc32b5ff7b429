import { expect, it } from "vitest";
import { blocks } from "./blocks";

const cases: [string, string, string[]][] = [
	["nothing gives no block", "", []],
	["a paragraph is one block", "one\ntwo", ["one\ntwo"]],
	["a blank line begins another block", "one\n\n\ntwo", ["one", "two"]],
	["a code fence holds its blank lines", "```js\na\n\nb\n```\n\nend", ["```js\na\n\nb\n```", "end"]],
	["a shorter fence does not close a longer one", "````\n```\n\nx\n````", ["````\n```\n\nx\n````"]],
	["a math block holds its blank lines", "$$\na\n\nb\n$$\n\nend", ["$$\na\n\nb\n$$", "end"]],
	["a math block on one line ends there", "$$a$$\n\nend", ["$$a$$", "end"]],
	["an indented line stays with its list item", "- a\n\n  more\n\nend", ["- a\n\n  more", "end"]],
];

it.each(cases)("%s", (_name, text, expected) => {
	expect(blocks(text)).toEqual(expected);
});

it("all but the last block stay as they are while text arrives", () => {
	const text = "# Plan\n\n- a\n- b\n\n```\nx\n\ny\n```\n\nThe end.";
	let before: string[] = [];
	for (let i = 1; i <= text.length; i++) {
		const now = blocks(text.slice(0, i));
		// A fence that opens or an indented line may still join the last block.
		for (let b = 0; b < before.length - 1 && b < now.length - 1; b++) expect(now[b]).toBe(before[b]);
		before = now;
	}
});
