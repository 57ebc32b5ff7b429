/** Daily notes and templates go by the app's own settings for them, and by whether they are switched on there. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hashFolder } from "./harness";
import { leave, sampleVault, sitDown, type Person } from "./person";

afterAll(leave);

/** A person whose app has settings of its own, each a file of the app's folder. */
async function seat(settings: Record<string, unknown>): Promise<Person> {
	const vault = mkdtempSync(join(tmpdir(), "appsettings-"));
	cpSync(sampleVault, vault, { recursive: true });
	writeFileSync(join(vault, "Templates", "Day.md"), "{{date}} at {{time}}\n");
	for (const [name, value] of Object.entries(settings))
		writeFileSync(join(vault, ".obsidian", `${name}.json`), JSON.stringify(value));
	const person = await sitDown({ vault });
	onTestFinished(async () => {
		await person.standUp();
		rmSync(vault, { recursive: true, force: true });
	});
	return person;
}

/** Runs the bundled action with that template and gives the notes of the plan. */
async function makeDailyNote(person: Person): Promise<string[]> {
	await person.panel.getByRole("button", { name: "Daily note from a template", exact: true }).click();
	await person.panel.getByRole("textbox", { name: "Template" }).fill("Templates/Day.md");
	await person.button("Continue").click();
	await person.plan.waitFor();
	return person.planned();
}

const daily = { folder: "Journal", format: "[Day] DD.MM.YYYY" };
const templates = { folder: "Templates", dateFormat: "D/M", timeFormat: "[ten] H" };

test("switched on, their folder and formats count, as they stand at that moment", async () => {
	const on = { "daily-notes": true, templates: true };
	const person = await seat({ "core-plugins": on, "daily-notes": daily, templates });
	const before = hashFolder(person.vault);
	const note = (await makeDailyNote(person)).find((path) => path.endsWith(".md")) ?? "";
	expect(note).toMatch(/^Journal\/Day \d\d\.\d\d\.20\d\d\.md$/);
	await person.approve();
	expect(person.read(note)).toMatch(/^\d{1,2}\/\d{1,2} at ten \d{1,2}\n$/);
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);
});

test("dates are written in the app's language, as the app itself writes them", async () => {
	const format = "dddd D. MMMM gggg-[W]ww";
	const on = { "core-plugins": { "daily-notes": true }, "daily-notes": { folder: "Journal", format } };
	const person = await seat(on);
	for (const language of ["de", "zh-cn", "pl"]) {
		await person.page.evaluate(async (language) => {
			window.moment.locale(language);
			await window.app.plugins.disablePlugin("embedded-agent");
			await window.app.plugins.enablePlugin("embedded-agent");
		}, language);
		await person.openPanel();
		const own = await person.page.evaluate((format) => window.moment().format(format), format);
		expect(await makeDailyNote(person)).toContain(`Journal/${own}.md`);
		await person.plan.getByRole("button", { name: "Cancel", exact: true }).click();
	}
});

test("switched off, what is left of their settings does not count", async () => {
	const off = { "daily-notes": false, templates: false };
	const person = await seat({ "core-plugins": off, "daily-notes": daily, templates });
	const [note = ""] = await makeDailyNote(person);
	expect(note).toMatch(/^20\d\d-\d\d-\d\d\.md$/);
	await person.approve();
	expect(person.read(note)).toMatch(/^20\d\d-\d\d-\d\d at \d\d:\d\d\n$/);
});
