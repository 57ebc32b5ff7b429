/** Recommendations out of the official list, which is the real one here; only its address leads to a server beside. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Script } from "../playground/model/server.mjs";
import { calls, says, startAgentModel } from "./agent-model";
import { axeViolations, hashFolder, repository } from "./harness";
import { eventually, leave, pluginFolder, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

const address =
	"https://raw.githubusercontent.com/obsidianmd/obsidian-releases/master/community-plugins.json";
const official = gunzipSync(
	readFileSync(join(repository, "wasm/internal/community/testdata/community-plugins.json.gz")),
);

interface Web {
	/** What was asked of hosts other than this machine. */
	asked: string[];
	/** Ends the server: the list cannot be reached any more. */
	cut(): Promise<void>;
}

let web: Web;

/** The app's own client asks from beside the page; the official address leads to a server here, and no other leads anywhere. */
beforeEach(async () => {
	const server = createServer((_, response) => response.end(official));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const real = globalThis.fetch;
	const asked: string[] = [];
	vi.stubGlobal("fetch", (url: string, init?: RequestInit) => {
		if (new URL(url).hostname === "127.0.0.1") return real(url, init);
		asked.push(`${init?.method ?? "GET"} ${url}`);
		return real(`http://127.0.0.1:${port}/${url === address ? "" : "nowhere"}`, init);
	});
	const cut = () =>
		new Promise<void>((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
	web = { asked, cut };
});
afterEach(async () => {
	vi.unstubAllGlobals();
	await web.cut();
});

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown(options);
	onTestFinished(() => person.standUp());
	return person;
}

/** Opens the search for community plugins. */
async function openFinder(person: Person) {
	await person.button("Manage saved actions").click();
	await person.page.getByRole("menuitem", { name: "Community plugins", exact: true }).click();
	return person.panel.getByRole("region", { name: "Community plugins" });
}

/** Searches, and gives what was found: the heading of each. */
async function search(person: Person, text: string): Promise<string[]> {
	await person.panel.getByRole("searchbox", { name: "What do you need help with?" }).fill(text);
	await person.button("Search").click();
	await person.button("Search").and(person.panel.locator(":enabled")).waitFor();
	const found = person.panel.locator(".ea-pluginlist strong");
	await found.first().waitFor();
	return found.allInnerTexts();
}

/** Puts a community plugin into the vault, switched on or off. */
function install(person: Person, id: string, on: boolean): void {
	const config = join(person.vault, ".obsidian");
	const folder = join(config, "plugins", id);
	mkdirSync(folder, { recursive: true });
	const manifest = { id, name: id, version: "1.0.0", minAppVersion: "1.0.0", description: "", author: "" };
	writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
	writeFileSync(
		join(folder, "main.js"),
		'const { Plugin } = require("obsidian"); module.exports = class extends Plugin {};',
	);
	const list = join(config, "community-plugins.json");
	const enabled = JSON.parse(readFileSync(list, "utf8")) as string[];
	if (on) writeFileSync(list, JSON.stringify([...enabled, id]));
}

const kept = (person: Person) => person.read(`${pluginFolder}/community-plugins.json`);

test("the list is fetched once, kept with its date, searched, and works from what is kept when there is no network", async () => {
	const person = await seat();
	const finder = await openFinder(person);
	expect(web.asked).toEqual([]);
	expect((await search(person, "kanban board"))[0]).toMatch(/^May help: Kanban by \S/);
	expect(web.asked).toEqual([`GET ${address}`]);
	expect(kept(person)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n\[/);
	expect(kept(person).slice(kept(person).indexOf("\n") + 1)).toBe(official.toString("utf8"));
	await finder.getByText(/List from \S/).waitFor();
	expect(await search(person, "track tasks across the vault")).toContainEqual(
		expect.stringMatching(/^May help: Tasks by /),
	);
	expect(web.asked).toHaveLength(1);
	expect(await axeViolations(person.page, ".ea-panel")).toEqual([]);

	await web.cut();
	await person.restart();
	await openFinder(person);
	expect((await search(person, "kanban board"))[0]).toMatch(/^May help: Kanban by /);
	expect(await finder.getByText("The list could not be fetched").count()).toBe(0);
	expect(web.asked).toHaveLength(1);
	await finder.getByRole("button", { name: "Refresh the list" }).click();
	await finder
		.getByText(/The list could not be fetched, so this is an older copy\.\s+List from \S/)
		.waitFor();
	expect(web.asked).toHaveLength(2);
	expect((await search(person, "kanban board"))[0]).toMatch(/^May help: Kanban by /);
	expect(person.playground.errors).toEqual([]);
});

test("without a network and without a list it says what is missing, and finds it once there is a network", async () => {
	const person = await seat();
	await web.cut();
	await openFinder(person);
	await person.panel.getByRole("searchbox", { name: "What do you need help with?" }).fill("kanban");
	await person.button("Search").click();
	expect(await person.readProblem()).toContain("The list of community plugins could not be fetched");
	expect(person.list(pluginFolder)).not.toContain("community-plugins.json");
});

test("what is installed is marked, on or off; the id is copied, the app's own list is opened, and nothing is installed", async () => {
	const person = await seat();
	install(person, "obsidian-kanban", false);
	install(person, "dataview", true);
	await person.restart();
	await person.playground.context.grantPermissions(["clipboard-read", "clipboard-write"]);
	const before = hashFolder(person.vault);
	const plugins = person.list(".obsidian/plugins");
	await openFinder(person);
	const row = (name: RegExp) => person.panel.locator(".ea-pluginlist li").filter({ hasText: name }).first();
	await search(person, "kanban board");
	await row(/^May help: Kanban by/)
		.getByText("Installed, switched off", { exact: true })
		.waitFor();
	await search(person, "dataview");
	await row(/^May help: Dataview by/)
		.getByText("Installed", { exact: true })
		.waitFor();
	await search(person, "spaced repetition");
	const other = row(/^May help: Spaced Repetition by/);
	expect(await other.getByText("Installed").count()).toBe(0);
	await other.getByRole("button", { name: "Copy ID obsidian-spaced-repetition" }).click();
	await eventually(() => person.page.evaluate(() => navigator.clipboard.readText())).toBe(
		"obsidian-spaced-repetition",
	);
	await person.panel.getByRole("button", { name: /^Open Community plugins/ }).click();
	const settings = person.page.getByRole("dialog", { name: "Settings" });
	await settings.getByRole("tabpanel", { name: "Community plugins" }).waitFor();
	await person.page.keyboard.press("Escape");
	expect(person.list(".obsidian/plugins")).toEqual(plugins);
	expect(hashFolder(person.vault)).toEqual(before);
	expect(web.asked).toEqual([`GET ${address}`]);
});

test("a plan and an agent recommend by the same list, shown the same way", async () => {
	const plan: Script = {
		match: ["^is there a plugin"],
		reply: "I will look.",
		plan: {
			version: 1,
			goal: "Find a plugin",
			steps: [{ id: "find", tool: "plugins.search", args: { query: "kanban board", limit: 3 } }],
		},
	};
	const person = await seat({ model: { scripts: [plan] } });
	const before = hashFolder(person.vault);
	await person.say("Is there a plugin for boards?");
	await person.answer.getByText(/^May help: Kanban by /).waitFor();
	await person.answer.getByRole("button", { name: "Copy ID obsidian-kanban" }).waitFor();

	const model = await startAgentModel([
		[calls("plugins.search", { query: "kanban board", limit: 3 })],
		[says("May help: Kanban.")],
	]);
	onTestFinished(() => model.close());
	const other = await seat({ settings: { demoModelUrl: model.url } });
	await other.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
	await other.say("Is there a plugin for boards?");
	await other.panel.getByText("May help: Kanban.").waitFor();
	await other.button("Copy answer").waitFor(); // it has ended, and its calls are folded
	expect(model.asked[1]).toContain("obsidian-kanban");
	await other.panel.getByText(/^1 call$/).click();
	await other.panel.getByRole("button", { name: /Searched plugins/ }).click();
	await other.panel.getByText(/^May help: Kanban by /).waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
});
