/** Every limit of the settings, from its control to what the core then does. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { OutputItem } from "../playground/model/responses.mjs";
import type { Script } from "../playground/model/server.mjs";
import { calls, says, startAgentModel, type AgentModel } from "./agent-model";
import { eventually, leave, pluginFolder, sitDown, type Person, type Seat } from "./person";
import { copyRecords, textsOf } from "./records";
import { choose, closeSettings, data, openPage, openSettings, type Value } from "./settings-page";

afterAll(leave);

async function seat(settings: Record<string, unknown> = {}, rest: Seat = {}): Promise<Person> {
	const person = await sitDown({ ...rest, settings });
	onTestFinished(() => person.standUp());
	return person;
}

describe("an agent", () => {
	let model: AgentModel;
	let person: Person;
	let turn: (n: number, asked: string) => OutputItem[];
	/** Searches for something else each time, and never comes to an end by itself. */
	const restless = (n: number) => [calls("vault.searchText", { query: `word ${n}` })];

	beforeAll(async () => {
		model = await startAgentModel((n, asked) => turn(n, asked));
		person = await sitDown({ settings: { demoModelUrl: model.url } });
		await person.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
	});
	afterAll(async () => {
		await person.standUp();
		await model.close();
	});

	/** The limits that the present test has set, with what stands for none. */
	let limits: Record<string, Value> = {};
	async function limit(name: string, value: Value): Promise<void> {
		await choose(person, { [name]: value });
		limits[name] = typeof value === "number" ? 0 : "";
	}
	afterEach(async () => {
		const none = limits;
		limits = {};
		await choose(person, none);
	});

	/** Gives it a task in a new conversation; gives back what the model has been asked for it so far. */
	async function task(next: typeof turn): Promise<() => string[]> {
		turn = next;
		const before = model.asked.length;
		await person.newConversation();
		await person.say("Look around");
		return () => model.asked.slice(before);
	}

	/** Waits until it is done, in whatever way. */
	const done = () => person.panel.getByRole("article").last().getByRole("button", { name: "Copy answer" });

	test("that has had its turns is not asked again, and says how to go on", async () => {
		await limit("Model requests per message", 3);
		const asked = await task(restless);
		expect(await person.readProblem()).toMatch(/^The model has been asked 3 times, the most/);
		expect(asked()).toHaveLength(3);
	});

	test("that has made its tool calls gets no more of them, and is told so", async () => {
		await limit("Tool calls per message", 2);
		const asked = await task((n, text) => (text.includes("has used its") ? [says("Enough.")] : restless(n)));
		await person.panel.getByText("Enough.").waitFor();
		expect(asked()).toHaveLength(4);
		expect(asked().at(-1)).toContain("This task has used its 2 tool calls.");
	});

	/** Asks for two searches and an end. */
	const brief = (n: number, text: string) =>
		(text.match(/function_call_output/g) ?? []).length < 2 ? restless(n) : [says("That is all.")];
	const end = () => person.panel.getByText("That is all.");

	test("that would use more than its tokens is stopped; with enough of them it comes to its end", async () => {
		await limit("Tokens per message", 50);
		const none = await task(brief);
		expect(await person.readProblem()).toContain("This task has used its 50 tokens.");
		expect(none()).toHaveLength(0);
		await limit("Tokens per message", 900_000);
		const asked = await task(brief);
		await end().waitFor();
		expect(asked()).toHaveLength(3);
	});

	test("that would cost more than it may is stopped, by the price table; without a price it is not asked at all", async () => {
		await limit("Cost per message", 0.001);
		const unpriced = await task(brief);
		expect(await person.readProblem()).toContain("no price is known for “demo”");
		expect(unpriced()).toHaveLength(0);
		const dialog = await openPage(person, "Usage and prices");
		const prices = { currency: "EUR", models: [{ model: "demo", input: 1000, output: 1000 }] };
		await dialog.getByRole("textbox", { name: "Price table as JSON" }).fill(JSON.stringify(prices));
		await dialog.getByRole("button", { name: "Use this table" }).click();
		await eventually(() => data(person)["prices"]).not.toBe("");
		await closeSettings(person);
		const none = await task(brief);
		expect(await person.readProblem()).toContain("This task has cost as much as is allowed (0.001).");
		expect(none()).toHaveLength(0);
		await limit("Cost per message", 900);
		const asked = await task(brief);
		await end().waitFor();
		expect(asked()).toHaveLength(3);
	});

	test("that calls a tool more often than a minute allows is refused until it has waited", async () => {
		await limit("Calls per minute", "vault.searchText = 1");
		expect(data(person)["callsPerMinute"]).toEqual({ "vault.searchText": 1 });
		const asked = await task((n, text) => (text.includes("too often") ? [says("I wait.")] : restless(n)));
		await person.panel.getByText("I wait.").waitFor();
		expect(asked()).toHaveLength(3);
		expect(asked().at(-1)).toMatch(/“vault\.searchText” was called too often\. Wait \d+ seconds/);
	});

	test("does not read text that is to be hidden, and the records do not hold it", async () => {
		await person.page.evaluate(() =>
			window.app.vault.create("Gate.md", "The gate opens with swordfish-4711."),
		);
		const read = (n: number, text: string) =>
			text.includes("The gate opens")
				? [says("I have read it.")]
				: [calls("vault.readFile", { path: "Gate.md" })];
		const plain = await task(read);
		await done().waitFor();
		expect(plain().at(-1)).toContain("swordfish-4711");
		const folder = join(person.vault, pluginFolder);
		const holding = async () => {
			const texts = await textsOf(person.records, "runs", /\.jsonl?$/);
			for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
				if (/\.jsonl?$/.test(name)) texts.set(name, readFileSync(join(folder, name), "utf8"));
			return [...texts.keys()].filter((name) => texts.get(name)?.includes("swordfish-4711"));
		};
		const held = await holding();
		await limit("Text to hide", "swordfish-\\d+");
		const hidden = await task(read);
		await done().waitFor();
		expect(hidden().at(-1)).toContain("The gate opens with");
		expect(hidden().join()).not.toContain("swordfish");
		expect(await holding()).toEqual(held);
		expect(person.read("Gate.md")).toContain("swordfish-4711");
	});
});

/** What the model answers to a word: a plan of steps. */
const script = (word: string, ...steps: Record<string, unknown>[]): Script => ({
	match: [`^${word}$`],
	reply: "Here is a plan.",
	plan: { version: 1, goal: word, steps },
});
const code = (body: string) => ({
	id: "code",
	tool: "code.run",
	args: { script: `def main(x):\n${body}`, input: "x" },
});

describe("a script", () => {
	test("is ended when it takes longer, or more memory, than it may", { timeout: 240_000 }, async () => {
		const forever = script("forever", code("  while True: pass"));
		const large = script("large", code("  s = 'a' * 30000000\n  return len(s + s)"));
		const person = await seat({}, { model: { scripts: [forever, large] } });
		await choose(person, { "Script time limit": 30_000 });
		await person.say("large");
		await person.answer.getByText("60000000").waitFor();
		await choose(person, { "Script memory limit": 64 });
		await person.say("large");
		await person.plan
			.getByText(/needed more memory than allowed/)
			.first()
			.waitFor();
		await person.button("Cancel").click();
		await choose(person, { "Script time limit": 400 });
		await person.say("forever");
		await person.plan
			.getByText(/it took longer than 400 ms/)
			.first()
			.waitFor();
		expect(person.list("Projects/XYZ")).toEqual([]);
	});
});

describe("a plan", () => {
	test("that would make more megabytes than it may goes no further, and writes nothing", async () => {
		const note = (name: string) => ({
			id: name,
			tool: "vault.createFile",
			args: { path: `Inbox/${name}.md`, content: "$steps.code.value" },
		});
		const long = script("long", code("  return 'a' * 700000"), note("one"), note("two"));
		const person = await seat({}, { model: { scripts: [long] } });
		await person.say("long");
		await person.plan.getByText("two.md").first().waitFor();
		expect(await person.button("Approve").isEnabled()).toBe(true);
		await person.button("Cancel").click();
		await choose(person, { "Megabytes per plan": 1 });
		await person.say("long");
		await person.plan.getByText("The plan would produce more than 1 MB").first().waitFor();
		await eventually(
			async () =>
				(await person.button("Approve").count()) === 0 || (await person.button("Approve").isDisabled()),
		).toBe(true);
		expect(person.list("Inbox")).not.toContain("one.md");
	});
});

describe("a call that fails", () => {
	const path = "Inbox/Stubborn.md";
	const retry = (word: string, maxAttempts: number, backoffMs: number) =>
		script(word, {
			id: "note",
			tool: "vault.createFile",
			args: { path, content: "x" },
			onError: "retry",
			retry: { maxAttempts, backoffMs },
		});

	/** The attempts at the note in the last run: when each began. */
	async function attempts(person: Person): Promise<number[]> {
		const run = (await person.records.list("runs")).at(-1);
		const lines = (await person.records.read(`runs/${run}/results.jsonl`)).trim().split("\n");
		return lines
			.map((line) => (JSON.parse(line) as { r: { tool: string; startedAt: string } }).r)
			.filter(({ tool }) => tool === "vault.createFile")
			.map(({ startedAt }) => Date.parse(startedAt));
	}

	test("is tried as often as the setting says, and no more, whatever the plan says", async () => {
		const person = await seat({}, { model: { scripts: [retry("often", 5, 1)] } });
		await choose(person, { "Attempts per call": 2 });
		await person.say("often");
		await person.plan.waitFor();
		person.playground.faults.set({ fail: [{ op: "mutation", path, code: "EBUSY" }] });
		await person.approve("failed");
		expect(await attempts(person)).toHaveLength(2);
		expect(person.list("Inbox")).not.toContain("Stubborn.md");
	});

	test("is not waited for longer than the setting says, whatever the plan says", async () => {
		const person = await seat({}, { model: { scripts: [retry("later", 2, 40_000)] } });
		await choose(person, { "Longest pause between attempts": 20 });
		await person.say("later");
		await person.plan.waitFor();
		person.playground.faults.set({ fail: [{ op: "mutation", nth: 1, path, code: "EBUSY" }] });
		await person.approve();
		const [first = 0, second = 0] = await attempts(person);
		// The plan's own pause would be half of its 40 seconds at the least.
		expect(second - first).toBeLessThan(20_000);
		expect(person.read(path)).toBe("x");
	});
});

describe("kept runs", () => {
	const runs = (person: Person) => person.records.list("runs");
	async function make(person: Person, name: string): Promise<void> {
		await person.say(`Create a note called ${name}`);
		await eventually(() => person.list("Inbox")).toContain(`${name}.md`);
		await person.runEnds("ok");
	}

	/** Adds a run that was made days ago, with the records of another one; gives its id. */
	async function older(person: Person, days: number): Promise<string> {
		const [from = ""] = await runs(person);
		const time = (Date.now() - days * 86_400_000).toString(16).padStart(12, "0");
		const id = `${time.slice(0, 8)}-${time.slice(8)}${from.slice(13)}`;
		await copyRecords(person.records, `runs/${from}`, `runs/${id}`);
		return id;
	}

	test("are removed when they are older than the days, or take more than the space, that they may", async () => {
		const person = await seat({ confirm: "never" });
		await make(person, "One");
		const old = await older(person, 3);
		const large = await older(person, 2);
		await person.records.write(`runs/${large}/trace.jsonl`, " ".repeat(2_000_000));
		await person.restart();
		await make(person, "Two");
		await eventually(() => runs(person)).toHaveLength(4);
		const dialog = await openSettings(person);
		await dialog.getByRole("button", { name: "Calculate" }).click();
		await dialog.getByText(/^Kept runs use 2\.\d MB/).waitFor();
		await closeSettings(person);
		await choose(person, { "Space for kept runs": 1 });
		await make(person, "Three");
		await eventually(() => runs(person)).not.toContain(large);
		expect(await runs(person)).toContain(old);
		await choose(person, { "Days to keep runs": 1 });
		await make(person, "Four");
		await eventually(() => runs(person)).not.toContain(old);
		expect(await runs(person)).toHaveLength(4);
	});
});
