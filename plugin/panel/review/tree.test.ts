import { describe, expect, it } from "vitest";
import { file } from "../../../test/dev/fixtures";
import { foldedAtFirst, kindOf, Tree, type Line } from "./tree";

const shown = (lines: readonly Line[]) =>
	lines.map(({ level, file, head }) => {
		const what = file ? (file.path.split("/").pop() ?? "") : head ? head.name || `(${head.part})` : "";
		return `${"  ".repeat(level)}${what}${head && head.name ? "/" : ""}`;
	});

describe("the tree of a review", () => {
	it("has deletes first, then renames, then the rest, by folder and in natural order", () => {
		const files = [
			file("Box/Note 10.md"),
			file("Box/Note 2.md", { status: "modify" }),
			file("Box/note 1.md"),
			file("Box 10/A.md"),
			file("Box 2/A.md"),
			file("Zebra.md"),
			file("Äpfel.md"),
			file("Old/Scrap 10.md", { status: "trash" }),
			file("Old/Scrap 9.md", { status: "trash" }),
			file("Old", { status: "rmdir" }),
			file("Archive/Deep/Old.md", { status: "rename", from: "Old.md" }),
		];
		expect(shown(new Tree(files).all(() => false))).toEqual([
			"(delete)",
			"  Old/",
			"    Scrap 9.md",
			"    Scrap 10.md",
			"(rename)",
			"  Archive/Deep/",
			"    Old.md",
			"(rest)",
			"  Box/",
			"    note 1.md",
			"    Note 2.md",
			"    Note 10.md",
			"  Box 2/",
			"    A.md",
			"  Box 10/",
			"    A.md",
			"  Äpfel.md",
			"  Zebra.md",
		]);
	});

	it("names no part where there is only one", () => {
		expect(shown(new Tree([file("A/1.md"), file("2.md")]).all(() => false))).toEqual([
			"A/",
			"  1.md",
			"2.md",
		]);
	});

	it("leaves out the lines below a folded head, and keeps its changes", () => {
		const lines = new Tree([file("A", { status: "mkdir" }), file("A/B/1.md"), file("A/2.md")]).all(
			(id) => id === "rest:A/",
		);
		expect(shown(lines)).toEqual(["A/"]);
		expect(lines[0]?.head?.changes.map(({ path }) => path)).toEqual(["A", "A/B/1.md", "A/2.md"]);
		expect(lines[0]?.head?.own?.path).toBe("A");
	});

	it("gives every file once where it is no tree, new folders before what is in them", () => {
		const files = [file("A/10.md"), file("A/9.md"), file("A", { status: "mkdir" })];
		expect(new Tree(files).flat(() => false).map((line) => line.file?.path)).toEqual([
			"A",
			"A/9.md",
			"A/10.md",
		]);
	});

	it("puts the notes whose links follow a rename below it, in one line that opens", () => {
		const link = (path: string, follows: string) =>
			file(path, { status: "modify", linksOnly: true, follows });
		const files = [
			file("New/A.md", { status: "rename", from: "A.md" }),
			link("Home.md", "New/A.md"),
			link("Deep/Note 10.md", "New/A.md"),
			link("Deep/Note 2.md", "New/A.md"),
			link("Other.md", "Gone.md"),
		];
		const names = (lines: readonly Line[]) =>
			lines.map(({ file, head }) => file?.path ?? (head?.follows ? `(${head.changes.length} follow)` : "/"));
		const tree = new Tree(files);
		expect(names(tree.flat(foldedAtFirst))).toEqual(["New/A.md", "(3 follow)", "Other.md"]);
		expect(names(tree.flat(() => false))).toEqual([
			...["New/A.md", "(3 follow)", "Deep/Note 2.md", "Deep/Note 10.md", "Home.md", "Other.md"],
		]);
		expect(names(tree.all(foldedAtFirst))).toEqual(["/", "/", "New/A.md", "(3 follow)", "/", "Other.md"]);
		// Where the rename is not among them, they are files like others.
		expect(names(new Tree(files.slice(1, 2)).all(foldedAtFirst))).toEqual(["Home.md"]);
	});

	it("tells notes that only follow a link from those that change", () => {
		expect(kindOf(file("a.md", { status: "modify", linksOnly: true }))).toBe("links");
		expect(kindOf(file("a.md", { status: "trash" }))).toBe("delete");
		expect(kindOf(file("a", { status: "rmdir" }))).toBe("folder");
	});

	it("looks at each of ten thousand files hardly more often than at each of a thousand", () => {
		const looks = (n: number) => {
			let looked = 0;
			const files = Array.from({ length: n }, (_, at) => {
				const path = `Box ${at % 100}/Deep/Note ${at}.md`;
				return Object.defineProperty(file(path), "path", { get: () => (looked++, path) });
			});
			expect(new Tree(files).all(() => false)).toHaveLength(n + 100);
			return looked / n;
		};
		expect(looks(10_000)).toBeLessThan(2 * looks(1000));
	});
});
