/** A run that worked becomes a button that works without a model. */
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest";
import { hashFolder, openNote, runFromPalette } from "./harness";
import { eventually, leave, pluginFolder, sitDown, type Person } from "./person";

afterAll(leave);

const seated: Person[] = [];
afterEach(() => {
	for (const person of seated.splice(0)) expect(person.playground.errors).toEqual([]);
});

/** A person who has run the ten notes, saved that as an action, and taken the run back. */
async function saved(name: string): Promise<{ person: Person; before: Record<string, string> }> {
	const person = await sitDown();
	seated.push(person);
	onTestFinished(() => person.standUp());
	const before = hashFolder(person.vault);
	await person.askForNotes();
	await person.approve();
	await person.button("Save as action").click();
	await person.panel.getByRole("textbox", { name: "Name of the action" }).fill(name);
	await person.button("Save").click();
	await actions(person).getByRole("button", { name, exact: true }).waitFor();
	await person.revert();
	return { person, before };
}

const actions = (person: Person) => person.panel.getByRole("region", { name: "Saved actions" });

async function choose(person: Person, menu: string, entry: string): Promise<void> {
	await actions(person).getByRole("button", { name: menu }).click();
	await person.page.getByRole("menuitem", { name: entry, exact: true }).click();
}

/** The data.json of the plugin. */
const data = (person: Person) =>
	JSON.parse(person.read(`${pluginFolder}/data.json`)) as Record<string, unknown>;

test("the button runs it on another selection without asking the model", async () => {
	const { person, before } = await saved("My ten notes");
	const asked = person.model.requests.length;
	await person.newConversation();
	await person.selectIn("Inbox/Ideas for the garden.md", 9, 11);
	await actions(person).getByRole("button", { name: "My ten notes", exact: true }).click();
	await person.plan.getByText("Will create 3 notes under Projects/XYZ").waitFor();
	await person.approve();
	expect(person.list("Projects/XYZ")).toHaveLength(3);
	expect(person.model.requests.length).toBe(asked);
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);
});

test("the palette has it as a command, also after a restart, and also where no model is set up", async () => {
	const { person, before } = await saved("My ten notes");
	const asked = person.model.requests.length;
	await person.page.evaluate(async (path) => {
		const { adapter } = window.app.vault;
		const kept = JSON.parse(await adapter.read(path)) as Record<string, unknown>;
		await adapter.write(path, JSON.stringify({ provider: "openai", palette: kept["palette"] }));
	}, `${pluginFolder}/data.json`);
	await person.playground.restart();
	await openNote(person.page, "Inbox/Ideas for the garden.md");
	await person.page.evaluate(() => {
		window.app.workspace.activeEditor?.editor?.setSelection({ line: 9, ch: 0 }, { line: 10, ch: 80 });
	});
	await runFromPalette(person.page, "Embedded Agent: Run saved action: My ten notes");
	await person.plan.getByText("Will create 2 notes under Projects/XYZ").waitFor();
	await person.panel
		.getByText("This needs a model, and none is set up yet. Saved actions work without one.")
		.waitFor();
	await person.approve();
	expect(person.list("Projects/XYZ")).toHaveLength(2);
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);
	expect(person.model.requests.length).toBe(asked);
});

test("without a selection it asks for the text to work on; Not now leaves all as it is, an answer goes on", async () => {
	const { person, before } = await saved("My ten notes");
	await openNote(person.page, "Home.md");
	await person.page.evaluate(() => window.app.workspace.activeEditor?.editor?.setCursor({ line: 0, ch: 0 }));
	const start = () => actions(person).getByRole("button", { name: "My ten notes", exact: true }).click();
	await start();
	const questions = person.panel.getByRole("region", { name: "Questions" });
	await questions.getByText("“My ten notes” needs these values").waitFor();
	await questions.getByRole("textbox", { name: "Text to work on" }).waitFor();
	await person.button("Not now").click();
	await questions.waitFor({ state: "detached" });
	expect(await person.plan.count()).toBe(0);
	expect(hashFolder(person.vault)).toEqual(before);
	await start();
	await questions.getByRole("textbox", { name: "Text to work on" }).fill("- One thing\n- Another thing");
	await person.button("Continue").click();
	await person.plan.getByText("Will create 2 notes under Projects/XYZ").waitFor();
	expect(await person.planned()).toContain("Projects/XYZ/Another thing.md");
});

test("it can be renamed and deleted, and the palette follows", async () => {
	const { person } = await saved("My ten notes");
	const commands = () =>
		person.page.evaluate(() =>
			window.app.commands
				.listCommands()
				.map(({ name }) => name)
				.filter((name) => /saved action: (My ten notes|Split the list)/.test(name)),
		);
	expect(await commands()).toEqual(["Embedded Agent: Run saved action: My ten notes"]);
	await choose(person, "More options for My ten notes", "Rename");
	await person.panel.getByRole("textbox", { name: "New name" }).fill("Split the list");
	await person.button("Rename").click();
	await actions(person).getByRole("button", { name: "Split the list", exact: true }).waitFor();
	await eventually(commands).toEqual(["Embedded Agent: Run saved action: Split the list"]);
	await choose(person, "More options for Split the list", "Delete");
	await person.panel
		.getByText("Delete the action “Split the list”? Notes are not changed.")
		.first()
		.waitFor();
	await person.button("Delete").click();
	await actions(person).getByText("Save a successful run as a button here.").waitFor();
	await eventually(commands).toEqual([]);
	await eventually(() => JSON.stringify(data(person)["palette"])).not.toContain("Split the list");
});

test("it is exported as JSON and imported elsewhere, told in words first; an imported one always asks", async () => {
	const { person } = await saved("My ten notes");
	await choose(person, "More options for My ten notes", "Export");
	const json = await person.panel.getByRole("textbox", { name: "Exported actions as JSON" }).inputValue();
	expect(JSON.stringify(JSON.parse(json))).not.toContain("Tomato");

	const other = await sitDown({ settings: { confirm: "never" } });
	seated.push(other);
	onTestFinished(() => other.standUp());
	await choose(other, "Manage saved actions", "Import");
	const form = other.panel.getByRole("region", { name: "Import actions" });
	await form.getByRole("textbox", { name: "Or paste the JSON" }).fill(json);
	await other.button("Preview").click();
	await form.getByText(/“My ten notes” writes notes: /).waitFor();
	await other.button("Import these actions").click();
	await actions(other).getByRole("button", { name: "My ten notes", exact: true }).waitFor();
	await other.selectIdeas();
	const before = hashFolder(other.vault);
	await actions(other).getByRole("button", { name: "My ten notes", exact: true }).click();
	await other.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
	await other.button("Approve").waitFor();
	expect(hashFolder(other.vault)).toEqual(before);
});

test("what is no export is refused with a sentence", async () => {
	const { person } = await saved("My ten notes");
	await choose(person, "Manage saved actions", "Import");
	const form = person.panel.getByRole("region", { name: "Import actions" });
	await form.getByRole("textbox", { name: "Or paste the JSON" }).fill('{"not": "an export"}');
	await person.button("Preview").click();
	expect(await person.readProblem()).toContain("This is not an export of saved actions.");
});

test("it is opened as steps, changed, and asks when it runs next, whatever the settings say", async () => {
	const { person } = await saved("My ten notes");
	await person.page.evaluate(async (path) => {
		const { adapter } = window.app.vault;
		const kept = JSON.parse(await adapter.read(path)) as Record<string, unknown>;
		await adapter.write(path, JSON.stringify({ ...kept, confirm: "never" }));
	}, `${pluginFolder}/data.json`);
	await person.restart();
	await choose(person, "More options for My ten notes", "Open as steps");
	const editor = person.panel.getByRole("region", { name: "Saved action" });
	const goal = editor.getByRole("textbox", { name: "What it does, in a sentence" });
	await goal.fill("Split a list into notes");
	const first = editor.getByRole("listitem").first();
	await first.locator("button.ea-step-name").click();
	await first.getByRole("textbox", { name: "Title" }).fill("Look at the selection");
	await editor.getByRole("button", { name: "Save", exact: true }).click();
	await actions(person).waitFor();
	await choose(person, "More options for My ten notes", "Open as steps");
	await editor.getByText("Look at the selection").waitFor();
	expect(await goal.inputValue()).toBe("Split a list into notes");
	await editor.getByRole("button", { name: "Back" }).click();
	await person.selectIdeas();
	await actions(person).getByRole("button", { name: "My ten notes", exact: true }).click();
	await person.button("Approve").waitFor();
	expect(person.list("Projects/XYZ")).toEqual([]);
});

test("arguments that the core refuses are told, and the action stays as it was", async () => {
	const { person } = await saved("My ten notes");
	await choose(person, "More options for My ten notes", "Open as steps");
	const editor = person.panel.getByRole("region", { name: "Saved action" });
	const first = editor.getByRole("listitem").first();
	await first.locator("button.ea-step-name").click();
	await first.getByRole("textbox", { name: "Arguments as JSON" }).fill('{"nonsense": 1}');
	await editor.getByRole("button", { name: "Save", exact: true }).click();
	await person.panel.locator(".ea-problem, .ea-editor > .ea-warning").first().waitFor();
	expect(await editor.isVisible()).toBe(true);
	await editor.getByRole("button", { name: "Back" }).click();
	await person.selectIn("Inbox/Ideas for the garden.md", 9, 11);
	await actions(person).getByRole("button", { name: "My ten notes", exact: true }).click();
	await person.plan.getByText("Will create 3 notes under Projects/XYZ").waitFor();
});

test("it can stand in the ribbon, with an icon of the app's, also after a restart and before the core is awake", async () => {
	const { person } = await saved("My ten notes");
	const { page } = person;
	const inRibbon = page.locator(".side-dock-ribbon").getByRole("button", { name: "My ten notes" });
	await choose(person, "More options for My ten notes", "Icon");
	await page.getByPlaceholder("Choose an icon").fill("sprout");
	await page.keyboard.press("Enter");
	await choose(person, "More options for My ten notes", "Show in ribbon");
	await inRibbon.waitFor();
	await eventually(() => data(person)["palette"]).toContainEqual(
		expect.objectContaining({ name: "My ten notes", icon: "sprout", ribbon: true }),
	);
	await person.playground.restart();
	await openNote(page, "Inbox/Ideas for the garden.md");
	await page.evaluate(() => {
		window.app.workspace.activeEditor?.editor?.setSelection({ line: 9, ch: 0 }, { line: 10, ch: 80 });
	});
	await inRibbon.click();
	await person.plan.getByText("Will create 2 notes under Projects/XYZ").waitFor();
	await person.button("Cancel").click();
	await choose(person, "More options for My ten notes", "Remove from ribbon");
	await inRibbon.waitFor({ state: "detached" });
	// The app draws its ribbon again of its own list.
	await page.evaluate(() => window.app.workspace.leftRibbon.draw());
	expect(await inRibbon.count()).toBe(0);
});

test("a link asks before it opens its review, and a no leaves it at that", async () => {
	const { person, before } = await saved("My ten notes");
	await person.selectIdeas();
	const follow = () =>
		person.page.evaluate(() =>
			window.app.workspace.protocolHandlers.get("embedded-agent")?.({ action: "My ten notes" }),
		);
	await follow();
	const asks = person.panel.getByText("A link wants to run the saved action “My ten notes”.");
	await asks.waitFor();
	await person.button("Not now").click();
	await asks.waitFor({ state: "detached" });
	expect(await person.plan.count()).toBe(0);
	await follow();
	await person.button("Open the review").click();
	await person.button("Approve").waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
});

test("a call of the timeline becomes a step, with the same tool and arguments", async () => {
	const person = await sitDown();
	seated.push(person);
	onTestFinished(() => person.standUp());
	await person.say("Create a note called Winter pruning in folder Notes");
	await person.button("Approve").click();
	await person.runEnds("ok");
	await person.log.getByRole("button", { name: /Created / }).click();
	await person.button("Turn into a step").click();
	await person.page.getByPlaceholder("Which action should the step be added to?").waitFor();
	await person.page.keyboard.press("Enter");
	const editor = person.panel.getByRole("region", { name: "Saved action" });
	await editor.locator("button.ea-step-name").click();
	expect(await editor.getByRole("textbox", { name: "Arguments as JSON" }).inputValue()).toContain(
		"Winter pruning",
	);
	await editor.getByRole("button", { name: /^Tool: vault\.createFile@/ }).waitFor();
});

test("what comes with the plugin can be hidden and copied; a copy is the person's own", async () => {
	const person = await sitDown();
	seated.push(person);
	onTestFinished(() => person.standUp());
	const bundled = actions(person).getByRole("list", { name: "Built-in actions" });
	const names = () => bundled.locator(".ea-chip-main").allInnerTexts();
	await eventually(async () => (await names()).length).toBe(12);
	const [first = "", second = ""] = await names();
	await choose(person, `More options for ${first}`, "Make a copy");
	await person.panel.getByRole("heading", { name: "Saved action" }).waitFor();
	await person.button("Back").click();
	await actions(person)
		.getByRole("button", { name: `${first} (copy)`, exact: true })
		.waitFor();
	await actions(person).getByRole("button", { name: "Built-in actions" }).click();
	await choose(person, `More options for ${second}`, "Hide");
	await eventually(names).not.toContain(second);
	expect(await names()).toHaveLength(11);
});

test("its order is the person's, and stays", async () => {
	const person = await sitDown();
	seated.push(person);
	onTestFinished(() => person.standUp());
	const chips = actions(person).locator(".ea-chip-main");
	await eventually(() => chips.count()).toBe(12);
	const [first, second] = await chips.allInnerTexts();
	await chips.first().focus();
	await person.page.keyboard.press("Alt+ArrowDown");
	await eventually(async () => (await chips.allInnerTexts()).slice(0, 2)).toEqual([second, first]);
	await person.restart();
	await eventually(async () => (await chips.allInnerTexts()).slice(0, 2)).toEqual([second, first]);
});

test("what comes with the plugin is hidden, shown again, and asks for what it needs", async () => {
	const person = await sitDown();
	seated.push(person);
	onTestFinished(() => person.standUp());
	const before = hashFolder(person.vault);
	const button = () => actions(person).getByRole("button", { name: "Rename a tag", exact: true });
	await button().waitFor();
	await choose(person, "More options for Rename a tag", "Hide");
	await button().waitFor({ state: "detached" });
	await choose(person, "Manage saved actions", "Show hidden actions");
	await button().click();
	await person.panel.getByRole("textbox", { name: "Tag", exact: true }).fill("garden");
	await person.panel.getByRole("textbox", { name: "New name of the tag" }).fill("plot");
	await person.button("Continue").click();
	await person.plan.waitFor();
	expect(person.model.requests).toEqual([]);
	expect(hashFolder(person.vault)).toEqual(before);
});
