/** A vault on a slow disk: what takes long says how far it is, can be cancelled, and is not done twice. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually, leave, sitDown, type Person } from "./person";

/** How many notes there are, and in how many of them the word stands. */
const notes = 4000;
const found = 8;

let vault: string;

beforeAll(() => {
	vault = mkdtempSync(join(tmpdir(), "slow-"));
	mkdirSync(join(vault, "Box"), { recursive: true });
	const old = new Date("2024-01-01");
	for (let i = 0; i < notes; i++) {
		const path = join(vault, "Box", `Note ${String(i).padStart(4, "0")}.md`);
		const rare = i % (notes / found) === 0 ? "Here is a heffalump.\n" : "";
		// Every note has words of its own, so that what is learned of them is worth keeping.
		const words = Array.from({ length: 60 }, (_, k) => ((i + 1) * 7919 * (k + 1)).toString(36)).join(" ");
		writeFileSync(path, `${words}\n${rare}`);
		utimesSync(path, old, old);
	}
});

afterAll(async () => {
	rmSync(vault, { recursive: true });
	await leave();
});

/** A model that looks for the word. */
const search = {
	name: "Find",
	match: ["heffalump"],
	reply: "I look for it.",
	plan: {
		goal: "Find the heffalump",
		assumptions: [],
		riskLevel: "read-only",
		steps: [{ id: "find", tool: "vault.searchText", args: { query: "heffalump" } }],
	},
};

async function seat(): Promise<Person> {
	const person = await sitDown({ vault, model: { scripts: [search] } });
	onTestFinished(() => person.standUp());
	await person.page.waitForFunction(
		() => (window.app.metadataCache as unknown as { initialized: boolean }).initialized,
	);
	return person;
}

/** The rows of the last answer. */
const hits = (person: Person) => person.answer.last().getByRole("cell").getByRole("button").count();

/** Searches again on a disk that is not slow, and counts the notes that are read. */
async function readsOf(person: Person): Promise<number> {
	const { faults } = person.playground;
	faults.set({});
	faults.resetCounters();
	await person.say("Find the heffalump");
	await eventually(() => hits(person)).toBe(found);
	return faults.counters()["read"] ?? 0;
}

const far = /Reading notes: ([\d,]+) of 4,000/;

test("a search on a slow disk says how far it is and what it has found, and comes to its end", async () => {
	const person = await seat();
	const { faults } = person.playground;
	faults.set({ latencyMs: 150, latencyPath: "Box/" });
	await person.say("Find the heffalump");
	const told: number[] = [];
	const progress = person.panel.locator(".ea-step-progress");
	await progress.filter({ hasText: /, [1-7] found/ }).waitFor();
	await eventually(async () => {
		const text = (await progress.allTextContents()).join();
		const done = Number(far.exec(text)?.[1]?.replace(",", "") ?? 0);
		if (done > (told.at(-1) ?? 0)) told.push(done);
		return told.length;
	}).toBeGreaterThan(1);
	await eventually(() => hits(person)).toBe(found);
	expect(await progress.count()).toBe(0);

	// What was read is known: the second search reads a handful.
	expect(await readsOf(person)).toBeLessThan(notes / 10);
	expect(person.playground.errors).toEqual([]);
});

test("a search that is cancelled keeps what it has read, also over a restart", async () => {
	const person = await seat();
	const { faults } = person.playground;
	faults.set({ latencyMs: 300, latencyPath: "Box/" });
	await person.say("Find the heffalump");
	await eventually(async () => {
		const text = (await person.panel.locator(".ea-step-progress").allTextContents()).join();
		return Number(far.exec(text)?.[1]?.replace(",", "") ?? 0);
	}).toBeGreaterThan(notes / 2);
	await person.button("Cancel").click();
	await person.panel.getByRole("article").getByText("Cancelled.").waitFor();
	expect(await person.panel.locator(".ea-step-progress").count()).toBe(0);
	await person.page.evaluate(async () => {
		await window.app.plugins.disablePlugin("embedded-agent");
		await window.app.plugins.enablePlugin("embedded-agent");
		window.app.commands.executeCommandById("embedded-agent:open");
	});
	const again = await readsOf(person);
	expect(again).toBeGreaterThan(0);
	expect(again).toBeLessThan((notes * 3) / 4);
});
