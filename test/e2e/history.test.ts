/** What is done with past runs: found, exported, verified, replayed; and a review that is simulated again. */
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { calls, says, startAgentModel } from "./agent-model";
import { hashFolder } from "./harness";
import { eventually, leave, sitDown, type Person } from "./person";

afterAll(leave);

async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	return person;
}

/** What run.export gives, as far as it is looked at here. */
interface Export {
	run: string;
	plan: { steps: { id: string }[] };
	envelopes: { name: string; call_id: string; error: unknown; t_start: string }[];
	events: { type: string; runId: string }[];
	bundles: unknown[];
}

/** The records of a file of the run's folder. */
async function records<T>(person: Person, run: string, file: string): Promise<T[]> {
	const lines = (await person.records.read(`runs/${run}/${file}`)).trim().split("\n");
	return lines.map((line) => (JSON.parse(line) as { r: T }).r);
}

test("a run is exported as a file of its own: its plan, a receipt of each call, and its events, as its folder has them", async () => {
	const person = await seat();
	await person.askForNotes();
	await person.approve();
	const [run = ""] = await person.records.list("runs");
	await person.revert();
	await person.restart();
	const before = hashFolder(person.vault);
	await person.button("History").click();
	const history = person.panel.getByRole("region", { name: "History" });
	const runs = history.locator(".ea-history-run");
	await eventually(() => runs.count()).toBe(2);
	await history.getByRole("combobox", { name: "Kind of run" }).selectOption({ label: "Run" });
	await eventually(() => runs.count()).toBe(1);
	await runs.getByRole("button", { expanded: false }).first().click();
	await person.button("Export").click();
	const box = history.getByRole("textbox", { name: "Records of the run" });
	const text = await box.inputValue();
	const exported = JSON.parse(text) as Export;
	expect(exported.run).toBe(run);
	const kept = JSON.parse(await person.records.read(`runs/${run}/run.json`)) as { plan: Export["plan"] };
	expect(exported.plan).toEqual(kept.plan);
	expect(exported.plan.steps.length).toBeGreaterThan(3);
	const results = await records<{ tool: string; ok: boolean; startedAt: string }>(
		person,
		run,
		"results.jsonl",
	);
	expect(exported.envelopes.map(({ name, t_start }) => [name, t_start]).sort()).toEqual(
		results.map(({ tool, startedAt }) => [tool, startedAt]).sort(),
	);
	expect(exported.envelopes.filter(({ name }) => name === "vault.createFile")).toHaveLength(10);
	expect(exported.envelopes.every(({ error }) => error === null)).toBe(true);
	expect(exported.events).toEqual(await records(person, run, "events.jsonl"));
	expect(exported.events.at(-1)).toMatchObject({ type: "run.finished", runId: run });

	const download = person.page.waitForEvent("download");
	await person.button("Download").click();
	const file = await download;
	expect(file.suggestedFilename()).toBe(`run-${run}.json`);
	expect(readFileSync(await file.path(), "utf8")).toBe(text);
	expect(hashFolder(person.vault)).toEqual(before);
	expect(person.playground.errors).toEqual([]);
});

test("a run is verified and replayed from the history; records that were changed are told", async () => {
	const person = await seat();
	const asked = () => person.model.requests.length;
	await person.askForNotes();
	await person.approve();
	const [run = ""] = await person.records.list("runs");
	const [before, requests] = [hashFolder(person.vault), asked()];
	await person.button("History").click();
	const history = person.panel.getByRole("region", { name: "History" });
	await history.locator(".ea-history-run").getByRole("button", { expanded: false }).first().click();
	await person.button("Verify").click();
	await history
		.getByText(/^The records are complete and unchanged \(\d+ records\)\.\s*Sealed by this device\.$/)
		.waitFor();
	await person.button("Replay").click();
	await person.page.getByText("The replay made the same calls with the same effects.").waitFor();
	// What it came to is shown as it was then: ten notes that are created, not ten beside them.
	await person.plan.getByRole("heading", { name: /^Replay of “/ }).waitFor();
	expect(await person.planned()).toContain("Projects/XYZ/Insect hotel.md");
	expect(await person.button("Approve").count()).toBe(0);
	await person.button("Close").click();
	await person.plan.waitFor({ state: "detached" });
	expect(hashFolder(person.vault)).toEqual(before);
	expect(asked()).toBe(requests);
	await person.restart(); // a file that the core has open is nobody else's to write
	const results = `runs/${run}/results.jsonl`;
	const text = await person.records.read(results);
	await person.records.write(results, text.replace("Insect hotel", "Insect motel"));
	await person.button("History").click();
	await history.locator(".ea-history-run").getByRole("button", { expanded: false }).first().click();
	await person.button("Verify").click();
	await history.getByText("The records are damaged or were changed.").waitFor();
});

test("an agent's run is replayed from its bundle, after a restart and with no model there: no request leaves, and its plan is shown", async () => {
	const model = await startAgentModel([
		[calls("vault.searchText", { query: "compost" })],
		[calls("vault.createFile", { path: "Compost list.md", content: "# Compost\n\nShort.\n" })],
		[says("I made a short list.")],
	]);
	const person = await sitDown({ settings: { demoModelUrl: model.url } });
	onTestFinished(() => person.standUp());
	await person.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
	await person.say("Make a list of what the notes say of compost");
	await person.approve();
	await model.close();
	await person.restart();
	const before = hashFolder(person.vault);
	const left: string[] = [];
	person.page.on("request", (request) => left.push(request.url()));
	await person.button("History").click();
	const history = person.panel.getByRole("region", { name: "History" });
	await history.locator(".ea-history-run").getByRole("button", { expanded: false }).first().click();
	await person.button("Replay").click();
	await person.plan
		.getByRole("heading", { name: "Replay of “Make a list of what the notes say of compost”" })
		.waitFor();
	expect(await person.planned()).toEqual(["Compost list.md"]);
	expect(await person.shown("Compost list.md")).toContain("Short.");
	expect(await person.button("Approve").count()).toBe(0);
	await person.button("Close").click();
	await person.plan.waitFor({ state: "detached" });
	expect(left.filter((url) => url.startsWith(model.url))).toEqual([]);
	expect(left.filter((url) => !url.startsWith(new URL(person.page.url()).origin))).toEqual([]);
	expect(model.asked).toHaveLength(3);
	expect(hashFolder(person.vault)).toEqual(before);
});

test("Dry run again simulates on the vault as it is now: what changed meanwhile is in the plan, and nothing is written", async () => {
	const person = await seat();
	await person.askForNotes();
	expect(await person.planned()).toContain("Projects/XYZ/Insect hotel.md");
	const note = join(person.vault, "Projects/XYZ/Insect hotel.md");
	mkdirSync(dirname(note), { recursive: true });
	writeFileSync(note, "Somebody else's.");
	const there = () =>
		person.page.evaluate(() => window.app.vault.getFileByPath("Projects/XYZ/Insect hotel.md") !== null);
	await eventually(there).toBe(true);
	const before = hashFolder(person.vault);
	await person.button("Dry run again").click();
	await eventually(() => person.planned()).toContain("Projects/XYZ/Insect hotel (2).md");
	expect(await person.planned()).not.toContain("Projects/XYZ/Insect hotel.md");
	expect(hashFolder(person.vault)).toEqual(before);
	await person.approve();
	expect(person.read("Projects/XYZ/Insect hotel.md")).toBe("Somebody else's.");
	expect(person.list("Projects/XYZ")).toHaveLength(11);
	await person.revert();
	expect(hashFolder(person.vault)).toEqual(before);
});
