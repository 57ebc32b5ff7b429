/** The undo records as a whole: where they are, a copy of them, and their end. */
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Locator } from "playwright-core";
import { installPlugin } from "../playground/demo.mjs";
import { hashFolder, repository } from "./harness";
import { eventually, leave, pluginFolder, sitDown, type Person } from "./person";
import { closeSettings, openSettings } from "./settings-page";

afterAll(leave);

async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	return person;
}

/** The row of the settings with a name. */
const row = (dialog: Locator, name: string) =>
	dialog.locator(".setting-item").filter({ has: dialog.page().getByText(name, { exact: true }) });

const place = "Where they are";
const copy = "Copy the undo records into the vault";
const end = "Delete the undo records of this vault";

/** Makes a run, and opens the settings. */
async function withARun(person: Person): Promise<Locator> {
	await person.askForNotes();
	await person.approve();
	return openSettings(person);
}

test("the settings say where the undo records are, how many, and what is promised about them", async () => {
	const person = await seat();
	const dialog = await withARun(person);
	const show = row(dialog, place).getByRole("button", { name: "Show" });
	await show.press("Enter");
	const words = row(dialog, place).locator(".setting-item-description");
	await eventually(() => words.innerText()).toMatch(
		/^In the (plugin's folder inside the vault|app's (storage|database) on this device).*One run, [\d.]+ .?B\./s,
	);
	await eventually(() => show.evaluate((el) => el === document.activeElement)).toBe(true);
});

test("a copy of the undo records has every file of a run, and a second one takes the place of none", async () => {
	const person = await seat();
	const dialog = await withARun(person);
	const button = row(dialog, copy).getByRole("button", { name: "Copy" });
	await button.click();
	await row(dialog, copy)
		.getByText(/^One run \(.*was copied to “Undo records \d{4}-\d\d-\d\d”\.$/)
		.waitFor();
	await button.click();
	await row(dialog, copy)
		.getByText(/ 2”\.$/)
		.waitFor();
	const folders = person.list("").filter((name) => name.startsWith("Undo records "));
	expect(folders).toHaveLength(2);
	for (const folder of folders) {
		const runs = join(person.vault, folder, "runs");
		const [run = "", ...others] = readdirSync(runs);
		expect(others).toEqual([]);
		expect(readdirSync(join(runs, run))).toEqual(
			expect.arrayContaining(["blobs", "end.json", "journal.jsonl", "run.json", "summary.json"]),
		);
		const doc = JSON.parse(readFileSync(join(runs, run, "run.json"), "utf8")) as Record<string, unknown>;
		expect(doc["runId"]).toBe(run);
		expect(doc["device"]).toMatch(/^[0-9a-f]{12}$/);
	}
});

test("records that were copied, deleted and put into a new installation are taken over, and the run is undone at once", async () => {
	const person = await seat();
	const before = hashFolder(person.vault);
	const dialog = await withARun(person);
	await row(dialog, copy).getByRole("button", { name: "Copy" }).click();
	await row(dialog, copy)
		.getByText(/^One run \(.*was copied to/)
		.waitFor();
	await row(dialog, end).getByRole("button", { name: "Delete" }).press("Enter");
	const question = person.page.getByRole("dialog", { name: end });
	await question.getByRole("button", { name: "Delete" }).click();
	await row(dialog, end).getByText("One run was deleted.").waitFor();
	await person.page.evaluate((id) => window.app.plugins.uninstallPlugin(id), basename(pluginFolder));
	await installPlugin(person.vault, repository);
	const [folder = ""] = person.list("").filter((name) => name.startsWith("Undo records "));
	const put = join(person.vault, pluginFolder, "runs");
	cpSync(join(person.vault, folder, "runs"), put, { recursive: true });

	await person.restart();
	await person.button("History").click();
	const history = person.panel.getByRole("region", { name: "History" });
	await history.locator(".ea-history-run").getByRole("button", { expanded: false }).first().click();
	await person.button("Undo this run").click();
	const apart = (all: Record<string, string>) =>
		Object.fromEntries(Object.entries(all).filter(([path]) => !path.startsWith(folder)));
	await eventually(() => apart(hashFolder(person.vault))).toEqual(before);
	expect(existsSync(put) ? readdirSync(put) : []).toEqual([]);
	expect(person.playground.errors).toEqual([]);
});

test("the undo records are deleted after a question, and not while a run waits to be decided about", async () => {
	const person = await seat();
	const { faults } = person.playground;
	await person.askForNotes();
	const { generation } = faults;
	faults.set({ freezeAt: 5, freezePath: "Projects/XYZ/" });
	await person.button("Approve").click();
	await eventually(() => faults.generation).toBeGreaterThan(generation);
	await person.restart();
	await person.button("Leave as is").waitFor();
	let dialog = await openSettings(person);
	const press = () => row(dialog, end).getByRole("button", { name: "Delete" }).press("Enter");
	await press();
	await row(dialog, end)
		.getByText(/^Nothing was deleted, because these runs have not ended: “.+”\./)
		.waitFor();
	await closeSettings(person);
	await person.button("Leave as is").click();
	await person.button("Leave as is").waitFor({ state: "detached" });

	dialog = await openSettings(person);
	const question = person.page.getByRole("dialog", { name: end });
	await press();
	await question.getByText(/^One run \(.*\) will be deleted permanently/).waitFor();
	await question.getByRole("button", { name: "Cancel" }).click();
	await question.waitFor({ state: "detached" });
	await press();
	await question.getByRole("button", { name: "Delete" }).click();
	await row(dialog, end).getByText("One run was deleted.").waitFor();
	await press();
	await row(dialog, end).getByText("There are no undo records on this device.").waitFor();
	await closeSettings(person);
	expect(await person.button("Revert last run").count()).toBe(0);
	await person.button("History").click();
	await person.panel.getByRole("region", { name: "History" }).getByText("No runs are kept.").waitFor();
});
