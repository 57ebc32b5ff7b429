/** What a run can be taken back with is kept wherever the engine lets it be: the way of a run in each such place. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { installPlugin } from "../playground/demo.mjs";
import { hashFolder, repository, runFromPalette } from "./harness";
import { eventually, ideas, leave, pluginFolder, sitDown, type Person } from "./person";
import type { RecordsKind } from "./records";

afterAll(leave);

const kinds: RecordsKind[] = ["opfs", "indexeddb", "folder"];

/** What of the plugin's folder would be among the undo records, if these were there. */
const records = ["runs", "hot", "index", "history", "traces", "endpoints.json"];

describe.each(kinds)("with records in %s", (kind) => {
	async function seat(): Promise<Person> {
		const person = await sitDown({ records: kind });
		onTestFinished(() => person.standUp());
		return person;
	}

	const offer = (person: Person) => person.panel.getByRole("region", { name: "Unfinished run" });

	test("a run is made and, after a restart, taken back; its records are there and nowhere else", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.askForNotes();
		await person.approve();
		expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
		const [run = ""] = await person.records.list("runs");
		expect(await person.records.list(`runs/${run}`)).toContain("end.json");
		expect(await person.records.list("hot")).toEqual([]);
		const shared = person.list(pluginFolder);
		expect(shared.filter((name) => records.includes(name))).toEqual([]);
		expect(shared.includes("devices")).toBe(kind === "folder");
		await person.restart();
		await person.button("History").click();
		const history = person.panel.getByRole("region", { name: "History" });
		await history.locator(".ea-history-run").getByRole("button", { expanded: false }).first().click();
		await person.button("Undo this run").click();
		await eventually(() => hashFolder(person.vault)).toEqual(before);
		expect(person.playground.errors).toEqual([]);
	});

	test(`after an uninstall and a new installation the run ${kind === "folder" ? "is gone with its records" : "can be undone"}`, async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.askForNotes();
		await person.approve();
		const after = hashFolder(person.vault);
		await person.page.evaluate((id) => window.app.plugins.uninstallPlugin(id), basename(pluginFolder));
		expect(existsSync(join(person.vault, pluginFolder))).toBe(false);
		await installPlugin(person.vault, repository);
		expect(hashFolder(person.vault)).toEqual(after);
		await person.restart();
		await person.button("History").click();
		const history = person.panel.getByRole("region", { name: "History" });
		const runs = history.locator(".ea-history-run");
		if (kind === "folder") {
			await history.getByText("No runs are kept.").waitFor();
			expect(await runs.count()).toBe(0);
			return;
		}
		await runs.getByRole("button", { expanded: false }).first().click();
		await person.button("Undo this run").click();
		await eventually(() => hashFolder(person.vault)).toEqual(before);
		expect(person.playground.errors).toEqual([]);
	});

	for (const nth of [1, 4, 10]) {
		test(`a kill at write ${nth}: the run is offered, and Undo leaves every byte as it was`, async () => {
			const person = await seat();
			const { faults } = person.playground;
			const before = hashFolder(person.vault);
			await person.askForNotes();
			const { generation } = faults;
			faults.set({ torn: { nth, bytes: 5, path: "Projects/XYZ/" } });
			await person.button("Approve").click();
			await eventually(() => faults.generation).toBeGreaterThan(generation);
			await person.restart();
			await offer(person).waitFor();
			await person.button("Undo").click();
			await offer(person).waitFor({ state: "detached" });
			expect(hashFolder(person.vault)).toEqual(before);
			expect(await person.records.list("hot")).toEqual([]);
		});
	}

	test("a second window sees the runs and says that it cannot write; when the first is closed, it can", async () => {
		const person = await seat();
		await person.askForNotes();
		await person.approve();
		const after = hashFolder(person.vault);
		const other = await person.playground.context.newPage();
		await other.goto(person.page.url());
		await other.waitForSelector("body[data-ready]");
		await runFromPalette(other, "Embedded Agent: Open");
		const panel = other.locator(".ea-panel");
		const openHistory = () => panel.getByRole("button", { name: "History", exact: true }).click();
		const ask = async (name: string) => {
			await panel.getByRole("textbox", { name: "Message" }).fill(`Create a note called ${name}`);
			await panel.getByRole("button", { name: "Run", exact: true }).click();
			await panel.getByRole("button", { name: "Approve", exact: true }).click();
		};
		await ask("Second");
		await panel
			.getByText("This vault is also open in another window, which writes the undo records,", {
				exact: false,
			})
			.first()
			.waitFor();
		expect(hashFolder(person.vault)).toEqual(after);
		await openHistory();
		const history = panel.getByRole("region", { name: "History" });
		await history.locator(".ea-history-run").first().waitFor();
		await person.page.close();
		await openHistory();
		await ask("Third");
		await panel.locator('section.ea-run[data-outcome="ok"]').waitFor();
		await eventually(() => person.list("Inbox")).toContain("Third.md");
		expect(person.list("Inbox")).not.toContain("Second.md");
	});
});
