/** Where nobody has read how the app behaves, the plugin works whichever way it is: here it is the other way. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { behaviours } from "../playground/behaviours";
import { hashFolder, openNote, repository } from "./harness";
import { eventually, ideas, leave, sentence, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown({ otherwise: "all", ...options });
	onTestFinished(() => person.standUp());
	return person;
}

describe("the main story, where the app behaves otherwise", () => {
	for (const records of ["opfs", "folder"] as const)
		test(`ten notes and their links come and go, with the records in ${records}`, async () => {
			const person = await seat({ records });
			const before = hashFolder(person.vault);
			await person.askForNotes();
			await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
			await person.approve();
			expect(person.list("Projects/XYZ")).toHaveLength(10);
			expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
			await eventually(() => person.editorText()).toBe(person.read(ideas.path));
			await person.revert();
			expect(hashFolder(person.vault)).toEqual(before);
			expect(person.list("Projects")).not.toContain("XYZ");
			expect(person.playground.errors).toEqual([]);
		});

	test("a note that is no longer open is changed, and brought back", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.askForNotes();
		await openNote(person.page, "Home.md");
		await person.approve();
		expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("a name that only an app on iOS might refuse is written there", async () => {
		const person = await seat({ profile: "ios" });
		await person.selectIdeas();
		await person.say(sentence);
		await person.plan.waitFor();
		await person.approve();
		expect(person.list("Projects/XYZ")).toHaveLength(10);
	});
});

/** The text of all that ships and is written in TypeScript. */
function shipped(folder: string): string {
	return readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
		.filter((path) => /\.(ts|svelte)$/.test(path) && !/\.test\.ts$|^test\//.test(path))
		.map((path) => readFileSync(join(repository, folder, path), "utf8"))
		.join("\n");
}

test("the plugin names nothing of the app that nobody has read and that it is said not to use", () => {
	const source = ["bridge", "plugin"].map(shipped).join("\n");
	expect(source).toContain("vault.process(");
	const unused = behaviours.filter(({ standing }) => standing === "unused");
	expect(unused.length).toBeGreaterThan(2);
	for (const { id, members = [] } of unused) {
		expect(members.length, id).toBeGreaterThan(0);
		for (const member of members)
			expect(source.includes(`${member}(`) || source.includes(`${member};`), id).toBe(false);
	}
});
