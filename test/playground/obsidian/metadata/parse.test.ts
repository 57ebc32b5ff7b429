import { describe, expect, test } from "vitest";
import { NameIndex } from "./names";
import { parseNote } from "./parse";
import type { TFile } from "../files";

describe("parsing a note", () => {
	test.each([
		["a wikilink in a table", "| a |\n| - |\n| [[Note\\|shown]] |\n", [["Note", "shown"]]],
		[
			"a link in a heading, a list and a quote",
			"# [[a]]\n- [[b]]\n> [[c]]\n",
			[
				["a", "a"],
				["b", "b"],
				["c", "c"],
			],
		],
		["headings in a link", "[[Note#A#B]]", [["Note#A#B", "Note > A > B"]]],
		[
			"none in code, comments and math",
			"`[[a]]` %%[[b]]%% $[[c]]$\n\n```\n[[d]]\n```\n\n%%\n[[e]]\n%%\n",
			[],
		],
		["no link to the web", "[a](https://x.org) <https://y.org> [b](mailto:z@x.org)", []],
		["a Markdown link with angle brackets", "[a](<my note.md>)", [["my note.md", "a"]]],
		["an empty or broken one is none", "[[]] [[a\nb]] [[unclosed", []],
	])("links: %s", (_name, text, links) => {
		expect((parseNote(text).links ?? []).map(({ link, displayText }) => [link, displayText])).toEqual(links);
	});

	test.each([
		["#a #b/c #d-e_f", ["#a", "#b/c", "#d-e_f"]],
		["#1984 #y1984", ["#y1984"]],
		["x#no (#no) https://x.org/#no", []],
		["#日本 #ünï #🍀garden", ["#日本", "#ünï", "#🍀garden"]],
		["# heading #tag", ["#tag"]],
	])("tags of %j", (text, tags) => {
		expect((parseNote(text).tags ?? []).map(({ tag }) => tag)).toEqual(tags);
	});

	test("every position gives back the text it is the position of", () => {
		const text = "\ufeff---\na: 1\n---\r\n## H [[x]]\n\npara #t ![[e]] ^id\n\n1. one\n   - two\n";
		const cache = parseNote(text);
		const at = ({ position }: { position: { start: { offset: number }; end: { offset: number } } }): string =>
			text.slice(position.start.offset, position.end.offset);
		expect(cache.headings?.map(at)).toEqual(["## H [[x]]"]);
		expect(cache.links?.map(at)).toEqual(["[[x]]"]);
		expect(cache.embeds?.map(at)).toEqual(["![[e]]"]);
		expect(cache.tags?.map(at)).toEqual(["#t"]);
		expect(cache.listItems?.map(at)).toEqual(["1. one", "- two"]);
		expect(cache.sections?.map(({ type }) => type)).toEqual(["yaml", "heading", "paragraph", "list"]);
		for (const section of cache.sections ?? []) {
			const { line, col, offset } = section.position.start;
			expect(text.split("\n").slice(0, line).join("\n").length + (line > 0 ? 1 : 0) + col).toBe(offset);
		}
	});

	test("block ids are found at the end of a block, after it, and on list items", () => {
		const cache = parseNote("para ^one\n\n- item ^two\n- other\n\n> quote\n\n^three\n");
		expect(Object.keys(cache.blocks ?? {}).sort()).toEqual(["one", "three", "two"]);
		expect(cache.blocks?.["three"]?.position.start.line).toBe(5);
	});

	test("front matter that is not YAML leaves a note without properties", () => {
		const cache = parseNote("---\ntags: [a\n---\n# H\n");
		expect(cache.frontmatter).toBeUndefined();
		expect(cache.headings?.[0]?.heading).toBe("H");
	});

	test("nested brackets, tags and stars do not hang it", () => {
		for (const piece of ["[[", "#a ", "*", "> ", "%%", "- "])
			expect(parseNote(piece.repeat(20_000)).frontmatter).toBeUndefined();
	});
});

describe("resolving a link", () => {
	const index = new NameIndex();
	const paths = [
		"a.md",
		"x/a.md",
		"x/y/a.md",
		"x/n.md",
		"x/y/n.md",
		"w/w/n.md",
		"x/only.md",
		"x/pic.png",
		"B.md",
	];
	for (const path of paths) index.add({ path, name: path.slice(path.lastIndexOf("/") + 1) } as TFile);

	test.each([
		["a", "b.md", "a.md"],
		["a", "x/y/z.md", "a.md"],
		["n", "x/y/z.md", "x/y/n.md"],
		["n", "b.md", "x/n.md"],
		["y/a", "b.md", "x/y/a.md"],
		["./a", "x/z.md", "x/a.md"],
		["../a", "x/y/z.md", "x/a.md"],
		["/a", "x/y/z.md", "a.md"],
		["only.md", "b.md", "x/only.md"],
		["b", "b.md", "B.md"],
		["pic.png", "b.md", "x/pic.png"],
		["pic", "b.md", null],
		["../../..", "b.md", null],
	])("%s in %s is %s", (link, source, found) => {
		expect(index.resolve(link, source)?.path ?? null).toBe(found);
	});
});
