/**
 * A note under *Excluded paths* stays where it is: open with a selection, asked for by name, or linked from a
 * note that may be seen, nothing of it is in a request to the model or in what the plugin keeps.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { calls, says, startAgentModel, type AgentModel, type Turns } from "./agent-model";
import { hashFolder, openNote, selectLines } from "./harness";
import { eventually, leave, pluginFolder, sitDown, type Person } from "./person";
import { textsOf } from "./records";

afterAll(leave);

/** Words that stand in the notes that may not be seen, and nowhere else: one for each way that they could get out. */
const words = {
	path: "kestrelpath",
	title: "kestreltitle",
	text: "kestreltext",
	selection: "kestrelselection",
	property: "kestrelproperty",
	tag: "kestreltag",
	heading: "kestrelheading",
	task: "kestreltask",
};

const inside = (chosen: string): string =>
	[
		"---",
		`${words.property}: ${words.property} value`,
		`tags: [${words.tag}]`,
		"---",
		`# ${words.heading}`,
		`needle ${words.text} and [[Garden]] of the Garden`,
		`- [ ] ${words.task}`,
		`needle ${chosen}`,
		"",
	].join("\n");

/** The line of the note (from 0) that is selected. */
const selected = 7;
const open = `Private/${words.path}/${words.title}.md`;
/** Linked from a note that may be seen. Its name is the text of that note, and no secret; what is in it is. */
const linked = "Private/Shed.md";
const notes: Record<string, string> = {
	"Garden.md": "needle in the garden, and [[Shed]]\n\n- [ ] water the beds\n",
	[open]: inside(words.selection),
	[linked]: inside(words.text),
};

/** The tools that look, in all the ways that could show it; the model knows the name of one note by its link. */
const looks: [string, Record<string, unknown>][] = [
	["editor.getSelection", {}],
	["editor.getActiveFilePath", {}],
	["workspace.getContext", {}],
	["vault.readFile", { path: linked }],
	["vault.readFile", { path: "Garden.md" }],
	["vault.listFiles", {}],
	["vault.listFiles", { folder: "Private" }],
	["vault.searchText", { query: "needle" }],
	["vault.searchText", { query: "[k]estrel", regex: true }],
	["vault.query", { fields: ["tags", "links", "tasks", "headings"] }],
	["vault.query", { linkedFrom: "Garden.md" }],
	["vault.query", { linksTo: "Garden.md" }],
	["links.find", { to: "Garden.md" }],
	["links.find", {}],
	["links.unlinkedMentions", { to: "Garden.md" }],
	["metadata.get", { path: linked }],
	["metadata.values", {}],
	["tasks.list", {}],
	["vault.copyFile", { path: linked, newPath: "Copy.md" }],
	["note.merge", { paths: [linked, "Garden.md"], path: "Both.md" }],
	["template.apply", { template: linked, path: "Filled.md" }],
	["editor.insertAtCursor", { text: "x" }],
];

interface Seat {
	person: Person;
	model: AgentModel;
}

/** A person whose open note, with its last line selected, may not be seen. */
async function seat(turns: Turns): Promise<Seat> {
	const vault = mkdtempSync(join(tmpdir(), "unseen-"));
	for (const [path, text] of Object.entries(notes)) {
		mkdirSync(join(vault, dirname(path)), { recursive: true });
		writeFileSync(join(vault, path), text);
	}
	const model = await startAgentModel(turns);
	const settings = { demoModelUrl: model.url, denyPatterns: ["Private/**"] };
	const person = await sitDown({ vault, settings });
	onTestFinished(async () => {
		await person.standUp();
		await model.close();
		rmSync(vault, { recursive: true, force: true });
	});
	await person.selectIn(open, selected, selected);
	return { person, model };
}

const chip = (person: Person, name: string) => person.panel.getByRole("group", { name, exact: true });

/** The panel says of the open note and of the selection that they are not sent. */
async function saysThatItIsNotSent(person: Person): Promise<void> {
	for (const name of ["Active note", "Selection"])
		await chip(person, name)
			.getByRole("note")
			.getByText(/^Not sent: /)
			.waitFor();
}

/** The words that a text holds, in whatever case, and also where a tool writes a path for an address. */
function found(text: string): string[] {
	const lower = text.toLowerCase();
	return Object.values(words).filter((word) => lower.includes(word));
}

/** What the plugin keeps, by path; the settings themselves are the person's own. */
async function kept(person: Person): Promise<Record<string, string>> {
	const folder = join(person.vault, pluginFolder);
	const out: Record<string, string> = {};
	for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
		if (!entry.isFile() || /^(main\.js|manifest\.json|styles\.css|data\.json)$/.test(entry.name)) continue;
		const path = join(entry.parentPath, entry.name);
		out[path.slice(folder.length + 1)] = readFileSync(path, "latin1");
	}
	for (const part of ["runs", "hot", "index", "traces"])
		for (const [path, text] of await textsOf(person.records, part, /\./)) out[path] = text;
	return out;
}

/** Nothing of the notes has left: not to the model, and not into what is kept of a conversation and its runs. */
async function nothingHasLeft({ person, model }: Seat): Promise<void> {
	expect(model.asked.length).toBeGreaterThan(0);
	const requests = model.asked.map((asked, n) => [`request ${n}`, asked] as const);
	const told = Object.fromEntries(
		[...requests, ...Object.entries(await kept(person))]
			.map(([name, text]) => [name, found(text)] as const)
			.filter(([, some]) => some.length > 0),
	);
	expect(told).toEqual({});
}

/** The tools that a request offers, by their dotted names. */
function offered(asked: string): string[] {
	const { tools = [] } = JSON.parse(asked) as { tools?: { name?: string }[] };
	return tools.map((tool) => (tool.name ?? "").replace("__", "."));
}

/** Says a message and waits for the answer to it. */
async function ask(person: Person, text: string): Promise<void> {
	const articles = person.panel.getByRole("article");
	const before = await articles.count();
	await person.say(text);
	await eventually(() => articles.count()).toBe(before + 1);
	await articles.last().getByRole("button", { name: "Copy answer" }).waitFor();
}

/** A plan that makes a note of all that a search finds. */
const gather = {
	goal: "Gather what is there",
	assumptions: [],
	riskLevel: "writes",
	steps: [
		{ id: "chosen", tool: "editor.getSelection", args: {}, onError: "skip" },
		{ id: "where", tool: "workspace.getContext", args: {}, onError: "skip" },
		{ id: "found", tool: "vault.searchText", args: { query: "needle" } },
		{
			id: "lines",
			tool: "util.joinLines",
			args: { items: "$steps.found.hits", field: "text", prefix: "- " },
			dependsOn: ["found"],
		},
		{
			id: "make",
			tool: "vault.createFile",
			args: { path: "Found.md", content: "$steps.lines.text" },
			dependsOn: ["lines"],
		},
	],
};

test("in Plan mode nothing of an open note that may not be seen goes to the model, into a plan or into what is kept", async () => {
	const at = await seat([[says("I see no note.")], [calls("submit_plan", gather)], [says("Still none.")]]);
	const { person, model } = at;
	const before = hashFolder(person.vault);
	await saysThatItIsNotSent(person);
	await ask(person, "What does my note say?");
	await nothingHasLeft(at);
	expect(model.asked[0]).toContain("Garden.md");

	await person.say("Gather the needles");
	await person.plan.waitFor();
	expect(await person.shown("Found.md")).toContain("needle in the garden");
	await person.approve("partial"); // there is no selection to be had
	expect(person.read("Found.md")).toBe("- needle in the garden, and [[Shed]]");
	expect(found(person.read("Found.md"))).toEqual([]);
	await nothingHasLeft(at);
	const files = Object.keys(await kept(person));
	for (const what of [/^conversations\//, /^runs\/[^/]+\/trace\.jsonl$/, /^runs\/[^/]+\/results\.jsonl$/])
		expect(files).toContainEqual(expect.stringMatching(what));
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);

	// The same after a restart, with the note open from the start.
	await person.restart();
	await openNote(person.page, open);
	await selectLines(person.page, selected, selected);
	await saysThatItIsNotSent(person);
	await ask(person, "And now?");
	expect(model.asked).toHaveLength(3);
	await nothingHasLeft(at);
	expect(person.playground.errors).toEqual([]);
});

test("in Agent mode no tool gives anything of a note that may not be seen, open, named or linked", async () => {
	const at = await seat((n, asked) => {
		if (n > 0) return [says("There is nothing to see.")];
		const there = new Set(offered(asked));
		expect(there).toContain("tools.call");
		// What is told by name alone is called through the one tool for that.
		return looks.map(([tool, args]) =>
			there.has(tool) ? calls(tool, args) : calls("tools.call", { tool, arguments: args }),
		);
	});
	const { person, model } = at;
	const before = hashFolder(person.vault);
	await saysThatItIsNotSent(person);
	await person.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
	await person.say("Look at everything that there is");
	await eventually(() => model.asked.length).toBeGreaterThan(1);
	await person.panel.getByText("There is nothing to see.").waitFor();
	await nothingHasLeft(at);
	// The tools did work: what may be seen was told, and the model was told that a note is kept from it.
	expect(model.asked[1]).toContain("needle in the garden");
	expect(model.asked[1]).toContain("water the beds");
	expect(model.asked[1]).toContain("Excluded paths");
	await saysThatItIsNotSent(person);
	await eventually(async () => Object.keys(await kept(person))).toContainEqual(
		expect.stringMatching(/^conversations\//),
	);
	await eventually(async () => Object.keys(await kept(person))).toContainEqual(
		expect.stringMatching(/^traces\//),
	);
	await nothingHasLeft(at);
	expect(hashFolder(person.vault)).toEqual(before);
	expect(person.playground.errors).toEqual([]);
});
