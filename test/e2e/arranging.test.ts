/** Saved actions put in order, by pointer and by keyboard; their graph, their import, their links. */
import { readFileSync } from "node:fs";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { calls, says, startAgentModel } from "./agent-model";
import { hashFolder } from "./harness";
import { eventually, leave, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown(options);
	onTestFinished(() => person.standUp());
	return person;
}

const actions = (person: Person) => person.panel.getByRole("region", { name: "Saved actions" });

async function choose(person: Person, menu: string, entry: string): Promise<void> {
	await actions(person).getByRole("button", { name: menu, exact: true }).click();
	await person.page.getByRole("menuitem", { name: entry, exact: true }).click();
}

/** An action of one note. */
const action = (name: string, group: string, steps?: object[]) => ({
	id: name.toLowerCase().replace(" ", "-"),
	name,
	group,
	plan: {
		version: 1,
		goal: name,
		steps: steps ?? [{ id: "note", tool: "vault.createFile", args: { path: `${name}.md`, content: name } }],
	},
});

/** Imports actions, and gives what was said of them before. */
async function bring(person: Person, ...list: object[]): Promise<string> {
	await choose(person, "Manage saved actions", "Import");
	const form = person.panel.getByRole("region", { name: "Import actions" });
	const json = JSON.stringify({ format: "embedded-agent/actions", version: 1, actions: list });
	await form.getByRole("textbox", { name: "Or paste the JSON" }).fill(json);
	await person.button("Preview").click();
	const review = form.locator(".ea-summary");
	await review.waitFor();
	const words = await review.innerText();
	await person.button("Import these actions").click();
	await actions(person).waitFor();
	return words;
}

/** The person's own actions as they stand: by group, in order. */
const arranged = (person: Person) =>
	actions(person).evaluate((section) =>
		[...section.querySelectorAll("ul.ea-chips")].flatMap((list) => {
			const heading = list.getAttribute("aria-labelledby");
			const group = heading ? (document.getElementById(heading)?.textContent ?? "").trim() : "";
			const names = [...list.querySelectorAll(".ea-chip-main")].map((chip) => chip.textContent?.trim());
			return group === "Built-in actions" ? [] : [`${group}: ${names.join(", ")}`];
		}),
	);

const four = [action("Alder", ""), action("Birch", ""), action("Cedar", "Trees"), action("Dogwood", "Trees")];
const chip = (person: Person, name: string) => actions(person).getByRole("button", { name, exact: true });

test("an action that is dragged into another group is in it, where it was let go, also after a restart", async () => {
	const person = await seat();
	await bring(person, ...four);
	await eventually(() => arranged(person)).toEqual([": Alder, Birch", "Trees: Cedar, Dogwood"]);
	await chip(person, "Alder").dragTo(chip(person, "Dogwood"));
	await eventually(() => arranged(person)).toEqual([": Birch", "Trees: Cedar, Alder, Dogwood"]);
	await chip(person, "Cedar").dragTo(chip(person, "Birch"));
	await eventually(() => arranged(person)).toEqual([": Cedar, Birch", "Trees: Alder, Dogwood"]);
	// A group that is folded takes it by its heading, and opens.
	const heading = chip(person, "Trees");
	await heading.click();
	await eventually(() => arranged(person)).toEqual([": Cedar, Birch"]);
	await chip(person, "Birch").dragTo(heading);
	await eventually(() => arranged(person)).toEqual([": Cedar", "Trees: Birch, Alder, Dogwood"]);
	// What comes with the plugin takes nothing.
	await actions(person).getByRole("button", { name: "Built-in actions" }).click();
	await chip(person, "Cedar").dragTo(chip(person, "Rename a tag"));
	await person.restart();
	await eventually(() => arranged(person)).toEqual([": Cedar", "Trees: Birch, Alder, Dogwood"]);
	expect(person.playground.errors).toEqual([]);
});

test("Alt and an arrow take an action from group to group, and the keyboard stays with it", async () => {
	const person = await seat();
	await bring(person, ...four);
	const { keyboard } = person.page;
	const focused = () => person.page.evaluate(() => document.activeElement?.textContent?.trim());
	await chip(person, "Alder").focus();
	for (const then of [
		[": Birch, Alder", "Trees: Cedar, Dogwood"],
		[": Birch", "Trees: Alder, Cedar, Dogwood"],
		[": Birch", "Trees: Cedar, Alder, Dogwood"],
	]) {
		await keyboard.press("Alt+ArrowDown");
		await eventually(() => arranged(person)).toEqual(then);
		await eventually(focused).toBe("Alder");
	}
	for (let i = 0; i < 2; i++) {
		const before = await arranged(person);
		await keyboard.press("Alt+ArrowUp");
		await eventually(() => arranged(person)).not.toEqual(before);
		await eventually(focused).toBe("Alder");
	}
	await person.restart();
	await eventually(() => arranged(person)).toEqual([": Birch, Alder", "Trees: Cedar, Dogwood"]);
	// The menu's form names a group, and takes it out of one.
	await choose(person, "More options for Alder", "Group");
	await person.panel.getByRole("textbox", { name: "Group" }).fill("Shrubs");
	await keyboard.press("Enter");
	await eventually(() => arranged(person)).toContain("Shrubs: Alder");
});

test("an import says in words what each action may touch, before anything is kept", async () => {
	const person = await seat();
	const words = await bring(
		person,
		action("Tidy", "", [
			{ id: "gone", tool: "vault.delete", args: { path: "Inbox/Old.md" } },
			{ id: "run", tool: "commands.run", args: { id: "theme:toggle-light-dark" } },
			{ id: "ask", tool: "http.request", args: { url: "https://api.example.org/x" } },
			{ id: "sum", tool: "code.run", args: { script: "def main(x): return x" } },
		]),
		action("Wonder", "", [{ id: "ask", tool: "agent.run", args: { prompt: "Say something" } }]),
	);
	expect(words).toContain("“Tidy” moves notes to the trash");
	expect(words).toContain("“Tidy” writes only in the folder Inbox.");
	expect(words).toContain("“Tidy” runs the command theme:toggle-light-dark.");
	expect(words).toMatch(/api\.example\.org|network/);
	expect(words).toMatch(/script/i);
	expect(words).toMatch(/“Wonder”[^\n]*model/);
});

test("an action's graph is a JSON Canvas file: a card for each step, arrows to what waits for it", async () => {
	const person = await seat();
	const before = hashFolder(person.vault);
	await bring(
		person,
		action("Chain", "", [
			{ id: "find", tool: "vault.searchText", args: { query: "compost" } },
			{
				id: "note",
				tool: "vault.createFile",
				args: { path: "Found.md", content: "Found $steps.find.hits" },
			},
			{ id: "open", tool: "workspace.openFile", args: { path: "Found.md" }, dependsOn: ["note"] },
		]),
	);
	await choose(person, "More options for Chain", "Export as canvas");
	const box = person.panel.getByRole("textbox", { name: "The steps as a JSON Canvas file" });
	const text = await box.inputValue();
	const { nodes, edges } = JSON.parse(text) as {
		nodes: { id: string; type: string; text?: string; label?: string; x: number }[];
		edges: { fromNode: string; toNode: string }[];
	};
	expect(nodes.filter(({ type }) => type === "group").map(({ label }) => label)).toEqual(["Chain"]);
	const cards = nodes.filter(({ type }) => type === "text");
	expect(cards.map(({ text }) => /(vault|workspace)\.\w+/.exec(text ?? "")?.[0])).toEqual([
		"vault.searchText",
		"vault.createFile",
		"workspace.openFile",
	]);
	const [find, note, open] = cards;
	expect(edges.map(({ fromNode, toNode }) => [fromNode, toNode])).toEqual([
		[find?.id, note?.id],
		[note?.id, open?.id],
	]);
	expect(find!.x < note!.x && note!.x < open!.x).toBe(true);
	const download = person.page.waitForEvent("download");
	await person.button("Download").click();
	const file = await download;
	expect(file.suggestedFilename()).toMatch(/\.canvas$/);
	expect(readFileSync(await file.path(), "utf8")).toBe(text);
	expect(hashFolder(person.vault)).toEqual(before);
});

test("a link by the name asks first, an unknown name is told, and Obsidian's own word for the link is no name", async () => {
	const person = await seat();
	await bring(person, ...four);
	const before = hashFolder(person.vault);
	const follow = (params: Record<string, string>) =>
		person.page.evaluate(
			(params) =>
				window.app.workspace.protocolHandlers.get("embedded-agent")?.({
					action: "embedded-agent",
					...params,
				}),
			params,
		);
	await follow({ name: "Nobody" });
	await person.page
		.locator(".notice")
		.getByText(/Nobody/)
		.waitFor();
	await follow({});
	const asks = person.panel.getByText("A link wants to run the saved action");
	expect(await asks.count()).toBe(0);
	await follow({ name: "Cedar" });
	await person.panel.getByText("A link wants to run the saved action “Cedar”.").waitFor();
	expect(await person.plan.count()).toBe(0);
	await person.button("Open the review").click();
	await person.plan
		.getByText(/Cedar\.md/)
		.first()
		.waitFor();
	await person.button("Approve").waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
});

test("a call and a pin of an agent's step become steps of an action, with the tool's version and arguments", async () => {
	const model = await startAgentModel([
		[calls("vault.readFile", { path: "Notes/Soil.md" })],
		[says("It is about soil.")],
	]);
	onTestFinished(() => model.close());
	const person = await seat({ settings: { demoModelUrl: model.url } });
	await bring(
		person,
		action("Sum up", "", [
			{
				id: "ask",
				tool: "agent.run",
				args: {
					prompt: "What is it about?",
					tools: ["vault.readFile"],
					pins: [{ name: "soil", selector: { tool: "vault.readFile" }, on_missing: "null" }],
				},
			},
			{ id: "note", tool: "vault.createFile", args: { path: "Sum.md", content: "$steps.ask.response" } },
		]),
		action("Shelf", ""),
	);
	await actions(person)
		.getByRole("button", { name: /^Sum up\b/ })
		.click();
	// A step with tools may ask the model several times.
	await person.panel
		.getByText(/work on this plan\?/)
		.first()
		.waitFor();
	await person.button("Allow").click();
	await person.approve();
	await person.log.getByRole("button", { name: /Asked the model/ }).click();
	await person.log.getByRole("button", { name: "Turn soil into a step" }).click();
	await person.page.getByPlaceholder("Which action should the step be added to?").fill("Shelf");
	await person.page.keyboard.press("Enter");
	const editor = person.panel.getByRole("region", { name: "Saved action" });
	const steps = editor.locator("button.ea-step-name");
	await eventually(() => steps.count()).toBe(2);
	await steps.last().click();
	await editor.getByRole("button", { name: /^Tool: vault\.readFile@\d/ }).waitFor();
	const args = await editor.getByRole("textbox", { name: "Arguments as JSON" }).inputValue();
	expect(JSON.parse(args)).toMatchObject({ path: "Notes/Soil.md" });
});
