/** What a selection may hold: names that no system takes, and more text than anybody types. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hashFolder, openNote } from "./harness";
import { eventually, leave, sentence, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown(options);
	onTestFinished(() => person.standUp());
	return person;
}

/** Puts a note into the vault from outside and waits until the app knows it. */
async function addNote(person: Person, path: string, text: string): Promise<void> {
	writeFileSync(join(person.vault, path), text);
	await eventually(() =>
		person.page.evaluate((wanted) => window.app.vault.getFileByPath(wanted) !== null, path),
	).toBe(true);
}

const hostile = [
	"../../etc/passwd",
	"CON",
	"a/b:c?",
	"🌱 Seeds",
	"long ".repeat(60).trim(),
	"Twin",
	"Twin",
	".hidden",
	"ends with a dot.",
	"{{date}} and $HOME and {bullet.title}",
	"<script>alert(1)</script>",
	"nul.md",
];

test("bullets with hostile titles become safe names inside the folder, and Revert leaves every byte as it was", async () => {
	const person = await seat();
	await addNote(person, "Hostile.md", `${hostile.map((title) => `- ${title}`).join("\n")}\n`);
	const before = hashFolder(person.vault);
	await person.selectIn("Hostile.md", 0, hostile.length - 1);
	await person.say(sentence);
	await person.plan.getByText(`Will create ${hostile.length} notes under Projects/XYZ`).waitFor();
	const paths = await person.planned();
	for (const path of paths) expect(path).toMatch(/^(Hostile\.md|Projects\/XYZ(\/[^/]+\.md)?)$/);
	await person.approve();
	const names = person.list("Projects/XYZ");
	expect(names).toHaveLength(hostile.length);
	expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
	for (const name of names) {
		expect(name, "characters that some system refuses").not.toMatch(/[\\/:*?"<>|#^[\]]|[. ]\.md$|^\./u);
		expect(name, "names that Windows keeps").not.toMatch(/^(con|nul|prn|aux|com\d|lpt\d)(\.|$)/iu);
		expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
	}
	expect(names.filter((name) => name.startsWith("Twin"))).toEqual(["Twin (2).md", "Twin.md"]);
	expect(names.some((name) => name.includes("🌱"))).toBe(true);
	// The words themselves are in the notes as they were; nothing in them was carried out or filled in.
	const texts = names.map((name) => person.read(`Projects/XYZ/${name}`));
	for (const title of hostile)
		expect(
			texts.some((text) => text.includes(title)),
			title,
		).toBe(true);
	const after = Object.keys(hashFolder(person.vault)).filter((path) => !(path in before));
	for (const path of after) expect(path.startsWith("Projects/XYZ/"), path).toBe(true);
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);
	expect(person.playground.errors).toEqual([]);
});

test("a selection of 5 MB does not hang: the model hears a bounded part, and the panel stays usable", async () => {
	const person = await seat();
	const line = `- ${"words of a very long note ".repeat(40).trim()}\n`;
	const text = line.repeat(Math.ceil(5_000_000 / line.length));
	await addNote(person, "Large.md", text);
	const before = hashFolder(person.vault);
	await openNote(person.page, "Large.md");
	await person.page.evaluate(() => {
		const editor = window.app.workspace.activeEditor?.editor;
		const last = editor?.lastLine() ?? 0;
		editor?.setSelection({ line: 0, ch: 0 }, { line: last, ch: 0 });
	});
	await person.panel
		.getByRole("group", { name: "Selection" })
		.getByText(/^about [\d,]+ tokens$/)
		.waitFor();
	await person.say("hello");
	await person.panel.getByText("I am the demo model").waitFor();
	const body = JSON.stringify(person.model.requests.at(-1)?.body);
	expect(body.length).toBeLessThan(1_000_000);
	await person.button("Leave out the selection").click();
	await person.button("Use the selection").waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
});

test("notes whose names are taken get a number, and what is there stays as it is", async () => {
	const person = await seat();
	await person.page.evaluate(async () => {
		await window.app.vault.createFolder("Projects/XYZ");
		await window.app.vault.create("Projects/XYZ/Insect hotel.md", "Mine.\n");
	});
	const before = hashFolder(person.vault);
	await person.askForNotes();
	await person.approve();
	expect(person.read("Projects/XYZ/Insect hotel.md")).toBe("Mine.\n");
	expect(person.list("Projects/XYZ")).toContain("Insect hotel (2).md");
	expect(person.read("Inbox/Ideas for the garden.md")).toContain("- [[Insect hotel (2)]]");
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);
});
