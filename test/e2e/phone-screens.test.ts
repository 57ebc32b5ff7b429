/** Every screen of the panel on a phone: by touch, for fingers, beside the on-screen keyboard, and without a worker. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { misfits, smallTargets } from "../dev/fit";
import { axeViolations, hashFolder, keepPluginList, openNote, repository, selectLines } from "./harness";
import { eventually, ideas, leave, sentence, sitDown, type Person } from "./person";

afterAll(leave);

describe.each(["android", "ios"] as const)("on %s", (profile) => {
	async function seat(): Promise<Person> {
		const person = await sitDown({ profile });
		onTestFinished(() => person.standUp());
		return person;
	}

	test("a run is reviewed hunk by hunk, made, looked at and taken back", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await askAboutIdeas(person);
		await usable(person, "in review");

		await row(person, "Projects/XYZ/Insect hotel.md").locator("button[data-row]").tap();
		await row(person, "Projects/XYZ/Insect hotel.md").locator(".cm-content").waitFor();
		await usable(person, "with a new note open");
		expect(await row(person, "Projects/XYZ/Insect hotel.md").locator(".cm-deletedChunk").count()).toBe(0);

		// The corner of the box's target, not of the box.
		await row(person, "Projects/XYZ/Compost café.md")
			.locator(".ea-box")
			.tap({ position: { x: 2, y: 2 } });
		await person.plan.getByText("Will create 9 notes under Projects/XYZ").waitFor();

		await row(person, ideas.path).locator("button[data-row]").tap();
		const reject = row(person, ideas.path).getByRole("button", { name: "Reject change 1" });
		await reject.tap();
		// Its only change: without it the note is left out.
		const box = row(person, ideas.path).getByRole("checkbox");
		await eventually(() => box.isChecked()).toBe(false);
		await usable(person, "with a note left out");
		await row(person, ideas.path).locator(".ea-box").tap();
		await eventually(() => box.isChecked()).toBe(true);

		await person.button("Approve").tap();
		await person.runEnds("ok");
		expect(person.list("Projects/XYZ")).toHaveLength(9);
		await person.panel.getByText(/files changed/).tap();
		await usable(person, "after the run");
		await person.button("Revert last run").tap();
		await person.panel.locator(".ea-reverted").waitFor();
		await usable(person, "after the revert");
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("an action is saved, asks by a form, runs, and opens as steps", async () => {
		const person = await seat();
		await askAboutIdeas(person);
		await person.button("Approve").tap();
		await person.runEnds("ok");
		await person.button("Save as action").tap();
		await person.panel.getByRole("textbox", { name: "Name of the action" }).fill("Ten notes");
		await usable(person, "while naming an action");
		await person.button("Save").tap();
		await person.button("Revert last run").tap();
		await person.panel.locator(".ea-reverted").waitFor();

		await person.page.evaluate(() =>
			window.app.workspace.activeEditor?.editor?.setCursor({ line: 0, ch: 0 }),
		);
		await person.button("Ten notes").tap();
		const form = person.panel.getByRole("region", { name: "Questions" });
		await form.getByRole("textbox", { name: "Text to work on" }).fill("- One thing\n- Another thing");
		await usable(person, "while the form asks");
		await person.button("Not now").tap();
		await selectLines(person.page, ideas.from, ideas.from + 1);
		await person.button("Ten notes").tap();
		await person.plan.getByText("Will create 2 notes under Projects/XYZ").waitFor();
		await person.button("Approve").tap();
		await person.runEnds("ok");
		expect(person.list("Projects/XYZ")).toHaveLength(2);

		await person.button("More options for Ten notes").tap();
		await person.page.getByRole("menuitem", { name: "Open as steps" }).tap();
		const editor = person.panel.getByRole("region", { name: "Saved action" });
		await editor.locator("button.ea-step-name").nth(3).tap();
		await usable(person, "with a step open");
		await person.button("Back").tap();
		await person.button("Manage saved actions").tap();
		await person.page.getByRole("menuitem", { name: "Import" }).tap();
		await usable(person, "in the import");
	});

	test("the history, the tools, the plugins and the settings are for fingers too", async () => {
		const person = await seat();
		keepPluginList(person.vault);
		await askAboutIdeas(person);
		await person.button("Approve").tap();
		await person.runEnds("ok");
		await person.button("History").tap();
		const run = person.panel
			.getByRole("region", { name: "History" })
			.locator("button.ea-history-head")
			.first();
		await run.tap();
		await person.button("Verify").tap();
		await person.panel.getByText("The records are complete and unchanged").waitFor();
		await usable(person, "in the history");
		await person.button("Back").tap();

		await person.button("Manage saved actions").tap();
		await person.page.getByRole("menuitem", { name: "Tools", exact: true }).tap();
		await person.panel.getByRole("checkbox", { name: "Use vault.readFile" }).waitFor();
		await usable(person, "in the tools");
		await person.button("Back").tap();

		await person.button("Manage saved actions").tap();
		await person.page.getByRole("menuitem", { name: "Community plugins" }).tap();
		await person.panel.getByRole("searchbox", { name: "What do you need help with?" }).fill("kanban board");
		await person.button("Search").tap();
		await person.panel.getByText(/May help: Kanban by/).waitFor();
		await usable(person, "in the plugins");

		await person.button("Open settings").tap();
		const settings = person.page.getByRole("dialog", { name: "Settings" });
		await settings.getByText("Ask before a run").waitFor();
		expect(await axeViolations(person.page, ".modal")).toEqual([]);
		expect(await tooWide(settings)).toBeLessThanOrEqual(0);
		await settings.getByRole("button", { name: /^Agent tools/ }).tap();
		await settings.getByRole("checkbox", { name: "Use vault.readFile" }).waitFor();
		expect(await axeViolations(person.page, ".modal")).toEqual([]);
		expect(await smallTargets(person.page, ".ea-in-settings")).toEqual([]);
		expect(await tooWide(settings)).toBeLessThanOrEqual(0);
		expect(person.playground.errors).toEqual([]);
	});

	test("the on-screen keyboard leaves the message, its buttons and Approve in sight", async () => {
		const person = await seat();
		const { page } = person;
		const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
		const message = person.panel.getByRole("textbox", { name: "Message" });
		await askAboutIdeas(person);
		await message.tap();
		// The app makes its own frame as low as the keyboard leaves it.
		await page.setViewportSize({ width, height: Math.round(height * 0.55) });
		for (const part of [message, person.button("Approve"), person.button("Run"), person.button("Dry run")])
			expect(await inSight(part), String(part)).toBe(true);
		await usable(person, "with the keyboard");
		await message.fill("Leave out the compost café");
		expect(await inSight(message)).toBe(true);
		expect(await inSight(person.button("Run"))).toBe(true);
	});

	test("where no worker can start, the core runs on the main thread", async () => {
		const person = await seat();
		await person.page.addInitScript(() => {
			const Real = Worker;
			window.Worker = class extends Real {
				constructor(address: string | URL, options?: WorkerOptions) {
					if (options?.name === "embedded-agent") throw new Error("Workers are not allowed here.");
					super(address, options);
				}
			};
		});
		await person.restart();
		const before = hashFolder(person.vault);
		await askAboutIdeas(person);
		expect(await inWorker(person)).toBe(false);
		await person.button("Approve").tap();
		await person.runEnds("ok");
		expect(person.list("Projects/XYZ")).toHaveLength(10);
		await person.button("Revert last run").tap();
		await person.panel.locator(".ea-reverted").waitFor();
		expect(hashFolder(person.vault)).toEqual(before);
	});
});

test("nothing appears by hovering alone", () => {
	const css = readFileSync(join(repository, "styles.css"), "utf8").replace(/\/\*[^]*?\*\//g, "");
	const hovered = [...css.matchAll(/([^{}]*:hover[^{}]*)\{([^{}]*)\}/g)];
	expect(hovered.length).toBeGreaterThan(0);
	for (const [, selector, rules] of hovered)
		expect(rules, selector).not.toMatch(/\b(display|visibility|opacity|clip|content|height|width)\b/);
});

/** Selects the ten bullets and asks for a note of each; the plan is open then. */
async function askAboutIdeas(person: Person): Promise<void> {
	await openNote(person.page, ideas.path);
	await selectLines(person.page, ideas.from, ideas.to);
	await person.openPanel();
	await person.panel.getByRole("group", { name: "Selection" }).waitFor();
	await person.panel.getByRole("textbox", { name: "Message" }).fill(sentence);
	await person.button("Run").tap();
	await person.button("Approve").waitFor();
}

/** The row of a file in the plan. */
function row(person: Person, path: string): Locator {
	return person.plan
		.getByRole("listitem")
		.filter({ has: person.page.locator(`.ea-file-line .ea-path[title="${path}"]`) });
}

/** Nothing is too small for a finger, cut, outside the panel, or against WCAG. */
async function usable(person: Person, state: string): Promise<void> {
	const { page } = person;
	expect(await smallTargets(page), state).toEqual([]);
	expect(await misfits(page), state).toEqual([]);
	expect(await axeViolations(page, ".ea-panel"), state).toEqual([]);
}

/** Pixels by which something in a dialog is wider than the window. */
function tooWide(dialog: Locator): Promise<number> {
	return dialog.evaluate((el) => el.scrollWidth - window.innerWidth);
}

/** Whether the middle of an element is in the window with nothing over it. */
function inSight(part: Locator): Promise<boolean> {
	return part.evaluate((el) => {
		const { left, right, top, bottom } = el.getBoundingClientRect();
		if (top < 0 || bottom > window.innerHeight) return false;
		const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
		return el === there || el.contains(there);
	});
}

/** Whether the plugin's core runs in a worker. */
function inWorker(person: Person): Promise<boolean> {
	return person.page.evaluate(async () => {
		const plugin = window.app.plugins.plugins["embedded-agent"] as unknown as {
			core(): Promise<{ status: { inWorker: boolean } }>;
		};
		return (await plugin.core()).status.inWorker;
	});
}
