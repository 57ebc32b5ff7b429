/** Notes in windows of their own: the panel, in the main window or in one of those, follows the one in front. */
import type { Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hashFolder, openNote, selectLines } from "./harness";
import { eventually, ideas, leave, sentence, sitDown, type Person } from "./person";

afterAll(leave);

async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	return person;
}

/** Opens a note in a window of its own. */
async function popOut(person: Person, path: string): Promise<Page> {
	const opened = person.page.waitForEvent("popup");
	await person.page.evaluate(async (wanted) => {
		const file = window.app.vault.getFileByPath(wanted);
		if (file) await window.app.workspace.getLeaf("window").openFile(file);
	}, path);
	const popout = await opened;
	await popout.locator(".cm-content").waitFor();
	return popout;
}

/** Puts the caret at a line's beginning with the mouse, and selects with the keyboard: `count` lines, or all. */
async function select(page: Page, text: string, count?: number): Promise<void> {
	await page.bringToFront();
	const line = page.locator(".workspace-split.mod-root .cm-line", { hasText: text }).first();
	await line.click();
	await page.keyboard.press("Home");
	if (count === undefined) await page.keyboard.press("Control+a");
	else for (let i = 0; i < count; i++) await page.keyboard.press("Shift+ArrowDown");
}

const chip = ({ panel }: Person) => panel.getByRole("group", { name: "Selection" });

test("the selection is that of the window in front, until the window is closed", async () => {
	const person = await seat();
	const { page, panel, model } = person;
	await person.selectIdeas();
	await chip(person).getByText("- Tomato trellis").waitFor();

	const popout = await popOut(person, "Notes/Soil.md");
	await chip(person).waitFor({ state: "detached" }); // nothing is selected in what is in front now
	await select(popout, "Soil");
	const selected = await popout.evaluate(() => document.getSelection()?.toString().slice(0, 30) ?? "");
	expect(selected).not.toBe("");
	await chip(person).waitFor();
	expect(await chip(person).innerText()).not.toContain("Tomato trellis");

	// A message from the main window takes along what is selected in the other one.
	await page.bringToFront();
	await panel.getByRole("textbox", { name: "Message" }).fill("What is selected?");
	await panel.getByRole("textbox", { name: "Message" }).press("Enter");
	await panel.getByRole("button", { name: "Copy answer" }).waitFor();
	const body = JSON.stringify(model.requests.at(-1)?.body);
	expect(body).toContain("Notes/Soil.md");
	expect(body).toContain(selected.split("\n")[0]);
	expect(body).not.toContain("Tomato trellis");

	// And what is put into the selection's place is put there.
	const disk = person.read("Notes/Soil.md");
	const words = (await panel.locator('.ea-reply[aria-busy="false"]').last().innerText()).slice(0, 20);
	await person.button("Replace selection").click();
	await eventually(() => popout.locator(".cm-content").innerText()).toContain(words);
	await popout.bringToFront();
	await popout.locator(".cm-content").click();
	await popout.keyboard.press("Control+z");
	await eventually(() => person.read("Notes/Soil.md")).toBe(disk);

	// Back in the main window, its selection counts again, and the other's does not.
	await select(page, "Tomato trellis", 1);
	await chip(person).getByText("- Tomato trellis").waitFor();
	await select(popout, "Soil");
	await eventually(() => chip(person).innerText()).not.toContain("Tomato trellis");
	await popout.close();
	await chip(person).getByText("- Tomato trellis").waitFor();
	expect(person.playground.errors).toEqual([]);
});

test("a plan for what is selected in a window of its own changes the note there, and Revert leaves it as it was", async () => {
	const person = await seat();
	const before = hashFolder(person.vault);
	const note = person.read(ideas.path);
	const popout = await popOut(person, ideas.path);
	await popout.locator(".cm-line", { hasText: "Tomato trellis" }).click();
	await selectLines(person.page, ideas.from, ideas.to);
	await chip(person).getByText("- Tomato trellis").waitFor();
	await person.page.bringToFront();
	await person.say(sentence);
	await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
	await person.approve();
	expect(await popout.locator(".cm-content").innerText()).toContain("[[Tomato trellis]]");
	expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
	await person.revert();
	expect(person.read(ideas.path)).toBe(note);
	await eventually(() => popout.locator(".cm-content").innerText()).not.toContain("[[Tomato trellis]]");
	expect(hashFolder(person.vault)).toEqual(before);
	expect(person.playground.errors).toEqual([]);
});

test("the panel itself works in a window of its own", async () => {
	const person = await seat();
	const opened = person.page.waitForEvent("popup");
	await person.page.evaluate(() => {
		const { workspace } = window.app;
		const leaf = workspace.getLeavesOfType("embedded-agent-panel")[0];
		if (leaf) workspace.moveLeafToPopout(leaf);
	});
	const panel = (await opened).locator(".ea-panel");
	await panel.getByRole("textbox", { name: "Message" }).waitFor();
	await openNote(person.page, ideas.path);
	await selectLines(person.page, ideas.from, ideas.to);
	await panel.getByRole("group", { name: "Selection" }).getByText("- Tomato trellis").waitFor();
	await panel.getByRole("textbox", { name: "Message" }).fill(sentence);
	await panel.getByRole("button", { name: "Run", exact: true }).click();
	await panel.getByText("Will create 10 notes under Projects/XYZ").waitFor();
	await panel.getByRole("button", { name: "Approve", exact: true }).click();
	await panel.locator('section.ea-run[data-outcome="ok"]').waitFor();
	expect(person.list("Projects/XYZ")).toHaveLength(10);
	await panel.getByRole("button", { name: "Revert last run" }).click();
	await panel.locator(".ea-reverted").waitFor();
	expect(person.list("Projects/XYZ")).toHaveLength(0);
	expect(person.playground.errors).toEqual([]);
});
