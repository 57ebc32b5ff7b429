/** What a person writes after a run is never overwritten by taking the run back. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, ideas, leave, sentence, sitDown, type Person } from "./person";

afterAll(leave);

const note = "Projects/XYZ/Insect hotel.md";

/** A person whose run has made the ten notes, and what the vault was before. */
async function ran(): Promise<{ person: Person; before: Record<string, string> }> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	const before = hashFolder(person.vault);
	await person.askForNotes();
	await person.approve();
	return { person, before };
}

/** Writes a file as another program does, and waits until the app has seen it. */
async function writeOutside(person: Person, path: string, text: string): Promise<void> {
	writeFileSync(join(person.vault, path), text);
	const seen = () =>
		person.page.evaluate((wanted) => window.app.vault.getFileByPath(wanted)?.stat.size, path);
	await eventually(seen).toBe(Buffer.byteLength(text));
}

test("a line added elsewhere in the note is merged: the list is back, and so is the line", async () => {
	const { person } = await ran();
	const original = person.read(ideas.path);
	await writeOutside(person, ideas.path, `${original}\nWritten after the run.\n`);
	await person.revert();
	await person.panel.getByText("1 file merged with your later changes.").waitFor();
	const merged = person.read(ideas.path);
	expect(merged).toContain("- Tomato trellis");
	expect(merged).not.toContain("- [[Tomato trellis]]");
	expect(merged.endsWith("\nWritten after the run.\n")).toBe(true);
});

test("an edit of the same lines is a conflict: nothing is written there until the person has chosen, and Keep keeps it", async () => {
	const { person } = await ran();
	const edited = person.read(ideas.path).replace("- [[Insect hotel]]", "- [[Insect hotel]] made of bamboo");
	await writeOutside(person, ideas.path, edited);
	await person.button("Revert last run").click();
	const conflicts = person.panel.getByRole("region", { name: "Conflicts" });
	await conflicts.getByText("1 file was edited after the run").waitFor();
	await conflicts.getByText(ideas.path).waitFor();
	expect(person.read(ideas.path)).toBe(edited);
	await conflicts.getByRole("radio", { name: "Keep the current version" }).check();
	await person.button("Apply choices").click();
	await conflicts.waitFor({ state: "detached" });
	expect(person.read(ideas.path)).toBe(edited);
});

test("the choice to put back what was before saves the present text beside it", async () => {
	const { person, before } = await ran();
	const edited = person.read(ideas.path).replace("- [[Insect hotel]]", "- [[Insect hotel]] made of bamboo");
	await writeOutside(person, ideas.path, edited);
	await person.button("Revert last run").click();
	const conflicts = person.panel.getByRole("region", { name: "Conflicts" });
	await conflicts.getByRole("radio", { name: /^Restore the version from before the run/ }).check();
	await person.button("Apply choices").click();
	await conflicts.waitFor({ state: "detached" });
	const after = hashFolder(person.vault);
	expect(after[ideas.path]).toBe(before[ideas.path]);
	const beside = Object.keys(after).filter((path) => path.startsWith("Inbox/") && !(path in before));
	expect(beside).toHaveLength(1);
	expect(person.read(beside[0] ?? "")).toBe(edited);
});

test("a note that the run made and the person wrote in is not deleted by the revert without a word", async () => {
	const { person } = await ran();
	await writeOutside(person, note, `${person.read(note)}\nMy own words.\n`);
	await person.button("Revert last run").click();
	await person.panel.getByRole("region", { name: "Conflicts" }).getByText(note).waitFor();
	expect(person.read(note)).toContain("My own words.");
});

test("one file alone can be taken back", async () => {
	const { person } = await ran();
	await person.log.getByText(/^\d+ files changed/).click();
	await person.button(`Undo ${note}`).click();
	await eventually(() => person.list("Projects/XYZ").includes("Insect hotel.md")).toBe(false);
	expect(person.list("Projects/XYZ")).toHaveLength(9);
});

test("words that are in the editor and not yet saved survive the run and its revert", async () => {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	await person.selectIdeas();
	await person.page.evaluate(() => {
		const editor = window.app.workspace.activeEditor?.editor;
		const end = editor?.lastLine() ?? 0;
		editor?.replaceRange("Unsaved words.\n", { line: end + 1, ch: 0 });
	});
	await person.say(sentence);
	await person.plan.waitFor();
	await person.approve();
	await person.revert();
	expect(await person.editorText()).toContain("Unsaved words.");
	await eventually(() => person.read(ideas.path)).toContain("Unsaved words.");
	expect(await person.editorText()).toContain("- Tomato trellis");
});
