/** Somebody else can write into the plugin's folder: by sync, or by giving the notes away. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { hashFolder, runFromPalette } from "./harness";
import { eventually, ideas, leave, pluginFolder, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

const RUN = "019a0000-0000-7000-8000-000000000001";
const EVIL = "Theirs, not mine\n";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** Frames records as anybody can: the chain of the journal without a key. */
function chained(name: string, records: object[]): string {
	let link = sha(name).slice(0, 32);
	let out = "";
	for (const record of records) {
		const r = JSON.stringify(record);
		link = sha(link + r).slice(0, 32);
		out += `{"h":"${link}","l":${r.length},"r":${r}}\n`;
	}
	return out;
}

/** The name of the person's device, as the records have it. */
async function deviceOf(person: Person): Promise<string> {
	const id = await person.page.evaluate(() => {
		const name = "embedded-agent-device"; // it is made when it is first needed
		if (window.app.loadLocalStorage(name) === null) window.app.saveLocalStorage(name, "a device");
		return window.app.loadLocalStorage(name) as string;
	});
	return sha(id).slice(0, 12);
}

/**
 * Puts an interrupted run that nobody made among the records, where these are in the plugin's folder: it was about to write over a note, and into a hidden file.
 * It says that the named device has made it.
 */
async function forge(person: Person, note: string, device: string): Promise<void> {
	const put = (path: string, text: string) => person.records.write(path, text);
	const now = person.read(note);
	const [before, after] = [sha(now), sha(EVIL)];
	await put(`runs/${RUN}/blobs/000.pack`, now + EVIL);
	const size = Buffer.byteLength(now);
	await put(
		`runs/${RUN}/run.json`,
		JSON.stringify({
			version: "1",
			runId: RUN,
			device,
			kind: "run",
			goal: "Tidy up",
			calls: 2,
			files: [],
			now: "2026-01-01T00:00:00Z",
		}),
	);
	await put(
		`runs/${RUN}/journal.jsonl`,
		chained("journal.jsonl", [
			{ t: "begin", run: RUN, kind: "run", at: "2026-01-01T00:00:00.000Z", approval: "x", ops: 2 },
			{
				t: "op",
				i: 0,
				call: "c",
				kind: "modify",
				path: note,
				before,
				pre: [0, 0, size],
				after,
				post: [0, size, EVIL.length],
			},
			{
				t: "op",
				i: 1,
				call: "c",
				kind: "create",
				path: ".obsidian/evil.json",
				after,
				post: [0, size, EVIL.length],
			},
		]),
	);
	await put(`hot/${RUN}`, RUN);
}

async function seat(look?: Seat): Promise<Person> {
	const person = await sitDown(look);
	onTestFinished(() => person.standUp());
	return person;
}

describe("an interrupted run that nobody made", () => {
	test("is shown as not made here, and Finish shows its changes instead of making them", async () => {
		const person = await seat({ records: "folder" });
		const note = ideas.path;
		await forge(person, note, await deviceOf(person));
		await person.restart();
		const before = hashFolder(person.vault);
		const offer = person.panel.getByRole("region", { name: "Unfinished run" });
		await offer.getByText("This run was not made on this device").waitFor();
		await person.button("Finish").click();
		const plan = person.panel.getByRole("region", { name: "Plan" });
		await plan.getByText("Finish “Tidy up”").waitFor();
		await plan.getByText("anyone could have written them").waitFor();
		await plan.getByText(/\.obsidian\/evil\.json is left as it is/).waitFor();
		expect(hashFolder(person.vault)).toEqual(before);
		await person.button("Cancel").click();
		await plan.waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(before);
		await person.button("Finish").click();
		await person.button("Approve").click();
		await person.panel.getByText("Finished after an interruption").first().waitFor();
		expect(person.read(note)).toBe(EVIL);
		expect(person.list(".obsidian")).not.toContain("evil.json");
		// It is decided about: it is not offered any more, though a part of it was refused.
		await offer.waitFor({ state: "detached" });
	});
});

/** What a device keeps in the plugin's folder, as a sync takes it to another one; what is gone is removed there. */
function sync(from: Person, to: Person, folder: string): void {
	const there = join(to.vault, pluginFolder, folder);
	rmSync(there, { recursive: true, force: true });
	const here = join(from.vault, pluginFolder, folder);
	if (existsSync(here)) cpSync(here, there, { recursive: true });
}

describe("two devices over one synced folder", () => {
	const offer = (person: Person) => person.panel.getByRole("region", { name: "Unfinished run" });

	test("a run that one device was cut short in is left alone on the other, and the first one recovers it", async () => {
		const first = await seat({ records: "folder" });
		const second = await seat({ records: "folder" });
		const before = hashFolder(first.vault);
		await first.askForNotes();
		const { faults } = first.playground;
		const { generation } = faults;
		faults.set({ freezeAt: 5, freezePath: "Projects/XYZ/" });
		await first.button("Approve").click();
		await eventually(() => faults.generation).toBeGreaterThan(generation);
		const mine = `devices/${await deviceOf(first)}`;
		await first.page.goto("about:blank");

		sync(first, second, `${mine}/hot`); // the marker comes before its run
		await second.restart();
		await second.panel.waitFor();
		sync(first, second, mine);
		await second.restart();
		await second.askForNotes();
		await second.button("Approve").click();
		await second.panel.getByText("Done").first().waitFor();
		await second.button("History").click();
		const history = second.panel.getByRole("region", { name: "History" });
		await eventually(() => history.locator(".ea-history-run").count()).toBe(1);
		expect(await offer(second).count()).toBe(0);
		await history.getByRole("button", { name: "Clear history" }).click();
		await history.getByText("Clear the history?").waitFor();
		await history.getByRole("button", { name: "Clear history" }).click();
		await history.locator(".ea-history-run").waitFor({ state: "detached" });
		const theirs = (person: Person) => hashFolder(join(person.vault, pluginFolder, mine));
		expect(theirs(second)).toEqual(theirs(first));

		sync(second, first, mine);
		await first.restart();
		await offer(first).getByText("A run was interrupted").waitFor();
		await first.button("Undo").click();
		await offer(first).waitFor({ state: "detached" });
		expect(hashFolder(first.vault)).toEqual(before);
	});
});

describe("two windows of one vault", () => {
	test("a run that goes on in the other window is shown without a choice, and can be taken back once that is closed", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.askForNotes();
		person.playground.faults.set({ latencyMs: 4_000, latencyPath: "Projects/XYZ/" });
		await person.button("Approve").click();
		await eventually(() => person.list("Projects/XYZ").length).toBeGreaterThan(0);
		const other = await person.playground.context.newPage();
		await other.goto(person.page.url());
		await other.waitForSelector("body[data-ready]");
		await runFromPalette(other, "Embedded Agent: Open");
		const offer = other.locator(".ea-panel").getByRole("region", { name: "Unfinished run" });
		await offer.getByText("in another window").waitFor();
		expect(await offer.getByRole("button").count()).toBe(0);
		await person.page.close();
		await offer.getByRole("button", { name: "Undo" }).waitFor({ timeout: 45_000 });
		person.playground.faults.clear();
		expect(hashFolder(person.vault)).not.toEqual(before);
		await offer.getByRole("button", { name: "Undo" }).click();
		await offer.waitFor({ state: "detached", timeout: 60_000 });
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("an action that is saved in the other window is there when the person comes back to this one", async () => {
		const person = await seat();
		const saved = person.panel.getByRole("region", { name: "Saved actions" });
		await saved.getByRole("listitem").first().waitFor();
		const other = await person.playground.context.newPage();
		await other.goto(person.page.url());
		await other.waitForSelector("body[data-ready]");
		await other.evaluate(async () => {
			const plugin = window.app.plugins.plugins["embedded-agent"] as unknown as {
				core: () => Promise<{ request: (method: string, params: object) => Promise<unknown> }>;
			};
			const plan = { goal: "x", assumptions: [], steps: [{ id: "a", tool: "vault.listFiles", args: {} }] };
			const actions = [{ id: "", name: "From the other window", plan }];
			const json = JSON.stringify({ format: "embedded-agent/actions", version: 1, actions });
			await (await plugin.core()).request("actions.import", { json, confirm: true });
		});
		expect(await saved.getByText("From the other window").count()).toBe(0);
		await person.page.evaluate(() => window.dispatchEvent(new Event("focus")));
		await saved.getByText("From the other window").waitFor();
	});
});
