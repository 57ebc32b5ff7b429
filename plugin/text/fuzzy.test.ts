import { describe, expect, it } from "vitest";
import { entry, Narrowing, type Entry, type Turns } from "./fuzzy";

const steady: Turns = { now: () => 0, pause: () => Promise.resolve() };
const notes = (...paths: string[]) => paths.map((path) => entry("note", path));
const search = async (all: Entry[], text: string, limit = 20) =>
	(await new Narrowing(all, steady).find(text, limit))?.map((e) => e.path);

describe("finding a name", () => {
	const all = notes(
		"Archive/2024/Old reading list.md",
		"Inbox/Bread.md",
		"Reading.md",
		"Reading list.md",
		"Übung macht den Meister.md",
		"readme/Other.md",
	);

	it("has the whole name first, then its beginning, then a word of it, then the folder", async () => {
		expect(await search(all, "reading")).toEqual([
			"Reading.md",
			"Reading list.md",
			"Archive/2024/Old reading list.md",
		]);
		expect(await search(all, "read")).toEqual([
			"Reading.md",
			"Reading list.md",
			"Archive/2024/Old reading list.md",
			"Inbox/Bread.md",
			"readme/Other.md",
		]);
	});

	it("wants every word, in any order, in the name or the folder", async () => {
		expect(await search(all, "list old")).toEqual(["Archive/2024/Old reading list.md"]);
		expect(await search(all, "archive read")).toEqual(["Archive/2024/Old reading list.md"]);
	});

	it("finds letters that only come in the same order", async () => {
		expect(await search(all, "rdlst")).toEqual(["Reading list.md", "Archive/2024/Old reading list.md"]);
	});

	it("does not care for case and accents, composed or not", async () => {
		expect(await search(all, "UBUNG")).toEqual(["Übung macht den Meister.md"]);
		expect(await search(all, "u\u0308bung")).toEqual(["Übung macht den Meister.md"]);
	});

	it("finds nothing for what is nowhere, and gives no more than asked for", async () => {
		expect(await search(all, "zzz")).toEqual([]);
		expect(await search(all, "e", 2)).toHaveLength(2);
	});
});

describe("100,000 notes", () => {
	const many = Array.from({ length: 100_000 }, (_, n) =>
		entry("note", `Folder ${n % 97}/Note ${n} garden.md`),
	);

	it("are looked through once for a word that is typed letter by letter, and not at every key", async () => {
		const narrowing = new Narrowing(many, steady);
		for (const text of ["9", "99", "999", "9999", "99999"]) await narrowing.find(text, 20);
		expect((await narrowing.find("99999", 20))?.map((e) => e.path)).toEqual([
			"Folder 89/Note 99999 garden.md",
		]);
		expect(narrowing.looked).toBeLessThan(2 * many.length);
		const before = narrowing.looked;
		await narrowing.find("9999", 20);
		expect(narrowing.looked - before).toBeLessThan(1000);
	});

	it("leave other things their turn, and a newer key ends the older search", async () => {
		let time = 0;
		let turns = 0;
		const narrowing = new Narrowing(many, {
			now: () => (time += 2),
			pause: () => {
				turns++;
				return Promise.resolve();
			},
		});
		const older = narrowing.find("n", 20);
		const newer = narrowing.find("no", 20);
		expect(await older).toBeNull();
		expect(await newer).toHaveLength(20);
		expect(turns).toBeGreaterThan(20);
	});

	it("give the same as a search from nothing, whatever was typed before", async () => {
		const narrowing = new Narrowing(many.slice(0, 3000), steady);
		for (const text of ["g", "ga", "gar 1", "gar", "note 12", "no", "n 7", "zz", "z", ""]) {
			expect(await narrowing.find(text, 7), text).toEqual(
				await new Narrowing(many.slice(0, 3000), steady).find(text, 7),
			);
		}
	});
});
