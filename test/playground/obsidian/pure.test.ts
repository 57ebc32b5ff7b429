import { describe, expect, test } from "vitest";
import { minimalChange } from "./editor-text";
import {
	getLinkpath,
	joinPath,
	normalizePath,
	parentPath,
	parseLinktext,
	splitName,
	stripHeadingForLink,
} from "./paths";
import { prepareFuzzySearch, prepareSimpleSearch, sortSearchResults, type SearchResult } from "./search";
import { getFrontMatterInfo, parseFrontMatterAliases, parseFrontMatterTags, stringifyYaml } from "./yaml";

describe("paths", () => {
	test("normalizePath applied twice is normalizePath applied once", () => {
		for (const path of ["", "/", "//a//b/", "a\\b", "e\u0301/\u00a0x", "./a/../b", ".hidden"])
			expect(normalizePath(normalizePath(path))).toBe(normalizePath(path));
	});

	test.each([
		["a/b/c.md", "a/b"],
		["c.md", "/"],
		["a", "/"],
	])("the folder of %s is %s", (path, folder) => expect(parentPath(path)).toBe(folder));

	test.each([
		["a.md", "a", "md"],
		["a.tar.gz", "a.tar", "gz"],
		[".hidden", ".hidden", ""],
		["none", "none", ""],
		["dot.", "dot.", ""],
		["Up.MD", "Up", "md"],
	])("%s is %s and %s", (name, basename, extension) =>
		expect(splitName(name)).toEqual({ basename, extension }),
	);

	test("a link is a path and a subpath", () => {
		expect(parseLinktext("a/b#c#d")).toEqual({ path: "a/b", subpath: "#c#d" });
		expect(parseLinktext("#only")).toEqual({ path: "", subpath: "#only" });
		expect(getLinkpath("note#^id")).toBe("note");
		expect(joinPath("/", "a")).toBe("a");
		expect(stripHeadingForLink("A #tag | [[x]] ^b:")).toBe("A tag x b");
	});
});

describe("search", () => {
	const best = (query: string, texts: string[]): string[] => {
		const search = prepareFuzzySearch(query);
		const found = texts
			.map((text) => ({ text, match: search(text) }))
			.filter((one): one is { text: string; match: SearchResult } => one.match !== null);
		sortSearchResults(found);
		return found.map(({ text }) => text);
	};

	test("finds letters in their order, whole words first", () => {
		expect(best("open", ["Copy open files", "Open", "On paper end", "Close"])).toEqual([
			"Open",
			"Copy open files",
			"On paper end",
		]);
		expect(best("zz", ["a"])).toEqual([]);
	});

	test("every match lies where its letters are", () => {
		const { matches } = prepareFuzzySearch("qsw")("Quick switcher") ?? { matches: [] };
		expect(
			matches
				.map(([from, to]) => "Quick switcher".slice(from, to))
				.join("")
				.toLowerCase(),
		).toBe("qsw");
	});

	test("a simple search wants every word", () => {
		expect(prepareSimpleSearch("two one")("one two")?.matches).toEqual([
			[0, 3],
			[4, 7],
		]);
		expect(prepareSimpleSearch("one three")("one two")).toBeNull();
	});
});

describe("front matter", () => {
	test.each([
		["---\na: 1\n---\nbody", true, "a: 1", 13],
		["---\r\na: 1\r\n---\r\nbody", true, "a: 1", 16],
		["---\n---\nbody", true, "", 8],
		["--- \na: 1\n---", true, "a: 1", 13],
		["text\n---\na: 1\n---\n", false, "", 0],
		["---\nnever closed", false, "", 0],
		["----\na\n----\n", false, "", 0],
	])("of %j", (text, exists, frontmatter, contentStart) => {
		const info = getFrontMatterInfo(text);
		expect([info.exists, info.frontmatter, info.contentStart]).toEqual([exists, frontmatter, contentStart]);
		if (exists) expect(text.slice(info.from, info.to)).toBe(frontmatter);
	});

	test("tags and aliases are lists however they are written", () => {
		expect(parseFrontMatterTags({ tags: "a, b c" })).toEqual(["#a", "#b", "#c"]);
		expect(parseFrontMatterTags({ Tag: ["#x", 2024, null] })).toEqual(["#x", "#2024"]);
		expect(parseFrontMatterAliases({ alias: "one, two words" })).toEqual(["one", "two words"]);
		expect(parseFrontMatterTags(null)).toBeNull();
	});

	test("YAML is written in blocks and long lines are not folded", () => {
		const long = "word ".repeat(60).trim();
		expect(stringifyYaml({ a: [1, 2], long, none: null })).toBe(`a:\n  - 1\n  - 2\nlong: ${long}\nnone:\n`);
	});
});

test("the minimal change makes one text of the other and touches only what differs", () => {
	for (const [before, after] of [
		["abc", "axc"],
		["aaa", "aa"],
		["", "x"],
		["x", ""],
		["one\ntwo", "one\nthree\ntwo"],
		["abab", "ababab"],
	] as const) {
		const change = minimalChange(before, after) as { from: number; to: number; insert: string };
		expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after);
		expect(change.to - change.from).toBeLessThanOrEqual(before.length);
	}
	expect(minimalChange("same", "same")).toBeNull();
});
