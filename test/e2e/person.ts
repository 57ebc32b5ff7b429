/** What a person does with the plugin and sees in it, by the names that a screen reader hears too. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator } from "playwright-core";
import { expect } from "vitest";
import { startModelServer, type ModelServer, type ModelServerOptions } from "../playground/model/server.mjs";
import {
	launchChromium,
	openNote,
	repository,
	runFromPalette,
	selectLines,
	startPlayground,
	type Playground,
	type PlaygroundOptions,
} from "./harness";
import { recordsOf, type Records, type RecordsKind } from "./records";

/** The vault that the project brings along. */
export const sampleVault = join(repository, "test/playground/vault");

/** The sentence of the main story. */
export const sentence =
	"Create a note for each bullet of the selection in folder Projects/XYZ and replace the selection with links to them";

/** The note of the sample vault that holds ten bullets, and the lines (from 0) of the first and the last one. */
export const ideas = { path: "Inbox/Ideas for the garden.md", from: 9, to: 24 };

/** Where the plugin lies, and what travels with the vault: conversations, saved actions. */
export const pluginFolder = ".obsidian/plugins/embedded-agent";

export interface Seat {
	/** The folder to copy; by default the sample vault. */
	vault?: string;
	/** Settings in the plugin's data.json beside the address of the demo model. */
	settings?: Record<string, unknown>;
	model?: ModelServerOptions;
	theme?: PlaygroundOptions["theme"];
	profile?: PlaygroundOptions["profile"];
	width?: number;
	/** What the app does otherwise; see playground/obsidian/otherwise.ts. */
	otherwise?: string;
	/** Where the engine lets the plugin keep its records; by default where it keeps them best. */
	records?: RecordsKind;
}

/** What an engine refuses whose plugins keep their records there. */
const refused: Record<RecordsKind, string[]> = {
	opfs: [],
	indexeddb: ["opfs"],
	folder: ["opfs", "indexeddb"],
};

/** Waits until what is asked again and again is as expected. */
export function eventually<T>(ask: () => T | Promise<T>) {
	return expect.poll(ask, { timeout: 30_000 });
}

let browser: Promise<Browser> | undefined;

/** The one browser of a test file; `leave` closes it. */
function sharedBrowser(): Promise<Browser> {
	return (browser ??= launchChromium());
}

/** Closes the browser of this test file. */
export async function leave(): Promise<void> {
	await (await browser)?.close();
	browser = undefined;
}

/** A person in front of a copy of a vault, with the panel open and a scripted model to talk to. */
export async function sitDown({
	vault = sampleVault,
	settings,
	model: options,
	records = "opfs",
	...look
}: Seat = {}): Promise<Person> {
	const model = await startModelServer({ port: 0, delayMs: 0, ...options });
	const playground = await startPlayground({
		vault,
		browser: await sharedBrowser(),
		data: { demoModelUrl: model.url, ...settings },
		refuse: refused[records],
		...look,
	});
	playground.page.setDefaultTimeout(45_000);
	const person = new Person(playground, model, records);
	await person.openPanel();
	return person;
}

export class Person {
	constructor(
		readonly playground: Playground,
		readonly model: ModelServer,
		private readonly kind: RecordsKind,
	) {}

	/** What the plugin keeps on this device: the runs, and all that they can be taken back with. */
	get records(): Records {
		return recordsOf(this.kind, this.page, join(this.vault, pluginFolder));
	}

	get page() {
		return this.playground.page;
	}

	get vault() {
		return this.playground.vaultDir;
	}

	get panel(): Locator {
		return this.page.locator(".ea-panel");
	}

	get plan(): Locator {
		return this.panel.getByRole("region", { name: "Plan" });
	}

	/** The answer of a plan that only reads. */
	get answer(): Locator {
		return this.panel.getByRole("group", { name: "Answer" });
	}

	get log(): Locator {
		return this.panel.getByRole("region", { name: "Run log" });
	}

	get problem(): Locator {
		return this.panel.getByRole("group", { name: "Problem" });
	}

	button(name: string): Locator {
		return this.panel.getByRole("button", { name, exact: true });
	}

	async openPanel(): Promise<void> {
		await runFromPalette(this.page, "Embedded Agent: Open");
		await this.panel.getByRole("textbox", { name: "Message" }).waitFor();
	}

	/** Restarts the app and opens the panel again. */
	async restart(): Promise<void> {
		await this.playground.restart();
		await this.openPanel();
	}

	/** Opens the note with the ten bullets and selects them. */
	async selectIdeas(): Promise<void> {
		await this.selectIn(ideas.path, ideas.from, ideas.to);
	}

	/** Opens a note, selects its lines `from` to `to` (from 0, both included), and waits until the panel offers them. */
	async selectIn(path: string, from: number, to: number): Promise<void> {
		await openNote(this.page, path);
		await selectLines(this.page, from, to);
		await this.panel.getByRole("group", { name: "Selection" }).waitFor();
	}

	/** Types an instruction and presses Run, or another button. */
	async say(text: string, button = "Run"): Promise<void> {
		await this.panel.getByRole("textbox", { name: "Message" }).fill(text);
		await this.button(button).click();
	}

	/** Begins a new conversation, and waits until the problems of the last one are gone. */
	async newConversation(): Promise<void> {
		await this.button("New conversation").click();
		await this.problem.first().waitFor({ state: "hidden" });
	}

	/** Asks for the ten notes and waits for the plan. */
	async askForNotes(): Promise<void> {
		await this.selectIdeas();
		await this.say(sentence);
		await this.plan.waitFor();
	}

	/** Approves the plan and waits for the end of the run. */
	async approve(outcome = "ok"): Promise<void> {
		await this.button("Approve").click();
		await this.runEnds(outcome);
	}

	/** Waits until the run has ended in that way. */
	async runEnds(outcome: string): Promise<void> {
		await this.panel.locator(`section.ea-run[data-outcome="${outcome}"]`).waitFor();
	}

	/** Takes the last run back and waits until the panel says so. */
	async revert(): Promise<void> {
		await this.button("Revert last run").click();
		await this.panel.locator(".ea-reverted").waitFor();
	}

	/** Asks something that goes wrong, and reads the sentence that says what to do. */
	async readProblem(): Promise<string> {
		await this.problem.first().waitFor();
		return this.problem.first().locator(".ea-problem-text").innerText();
	}

	/** The paths in the review's list of files. */
	planned(): Promise<string[]> {
		const paths = this.plan.locator(".ea-path");
		return paths.evaluateAll((all) => all.map((path) => path.getAttribute("title") ?? ""));
	}

	/** The text that the review shows for a file: what it will be. */
	async shown(path: string): Promise<string> {
		const row = this.plan
			.getByRole("listitem")
			.filter({ has: this.page.locator(`.ea-path[title="${path}"]`) });
		const name = row.locator("button[data-row]");
		await name.click();
		const content = row.locator(".cm-content").last();
		await content.waitFor();
		const lines = await content.locator(".cm-line").evaluateAll((all) => all.map((line) => line.textContent));
		await name.click();
		return lines.join("\n");
	}

	/** A file of the vault as it is on disk. */
	read(path: string): string {
		return readFileSync(join(this.vault, path), "utf8");
	}

	/** The names in a folder of the vault on disk, sorted; none where there is no folder. */
	list(folder: string): string[] {
		const path = join(this.vault, folder);
		return existsSync(path) ? readdirSync(path).sort() : [];
	}

	/** The text of the note that is open in the editor. */
	editorText(): Promise<string> {
		return this.page.evaluate(() => window.app.workspace.activeEditor?.editor?.getValue() ?? "");
	}

	/** Closes the app and the model; the browser stays for the next test. */
	async standUp(): Promise<void> {
		await this.playground.close();
		await this.model.close();
	}
}
