/** A question about notes is answered at once, in words and a table of places to open, and kept. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { hashFolder, repository } from "./harness";
import { eventually, leave, sitDown, type Person } from "./person";

afterAll(leave);

async function seat(rest: Parameters<typeof sitDown>[0] = {}): Promise<Person> {
	const person = await sitDown(rest);
	onTestFinished(() => person.standUp());
	return person;
}

describe("a question", () => {
	test("is answered without a yes: counted, linked to the lines, sorted, and there after a restart", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.say("Which notes mention rain barrel?");
		const table = person.answer.getByRole("table", {
			name: /^\d+ notes mention “rain barrel”, in \d+ places\.$/,
		});
		await table.waitFor();
		expect(await person.plan.count()).toBe(0);
		expect(await person.button("Approve").count()).toBe(0);
		const places = Number(await table.getAttribute("aria-rowcount")) - 1;
		expect(places).toBeGreaterThan(10);

		const note = table.getByTitle("Daily/2026-11-20.md").first();
		const line = Number(/:(\d+)/.exec(await note.innerText())?.[1]);
		await note.click();
		await eventually(() => person.page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(
			"Daily/2026-11-20.md",
		);
		const cursor = () =>
			person.page.evaluate(() => window.app.workspace.activeEditor?.editor?.getCursor().line);
		await eventually(cursor).toBe(line - 1);

		const header = table.getByRole("columnheader", { name: "Note" });
		await header.getByRole("button").click();
		expect(await header.getAttribute("aria-sort")).toBe("ascending");
		expect(hashFolder(person.vault)).toEqual(before);
		expect(await person.records.list("runs")).toEqual([]);

		await person.restart();
		await table.waitFor();
		expect(await table.getAttribute("aria-rowcount")).toBe(String(places + 1));
		expect(person.playground.errors).toEqual([]);
	});

	test("that finds nothing is answered by a sentence", async () => {
		const person = await seat();
		await person.say("Which notes mention heffalump?");
		await person.answer.getByText("No notes mention “heffalump”.").waitFor();
		expect(await person.answer.getByRole("table").count()).toBe(0);
	});

	test("has an answer that becomes a note through a review, and can be taken back", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.say("Which notes mention rain barrel?");
		await person.button("Save as note").click();
		await person.plan.getByText("Will create Which notes mention rain barrel.md").waitFor();
		expect(hashFolder(person.vault)).toEqual(before);
		await person.approve();
		const text = person.read("Which notes mention rain barrel.md");
		expect(text).toMatch(/^\d+ notes mention “rain barrel”/);
		expect(text).toMatch(/\n\| \[\[Daily\/2026-11-20\\\|2026-11-20\]\]:\d+ \| /);
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
	});
});

test("the next message knows what was found", async () => {
	const person = await seat();
	await person.say("Which notes mention rain barrel?");
	await person.answer.waitFor();
	await person.say("only those in Daily");
	await eventually(() => JSON.stringify(person.model.requests.at(-1)?.body)).toContain("only those in Daily");
	const asked = JSON.stringify(person.model.requests.at(-1)?.body);
	expect(asked).toContain("notes mention “rain barrel”");
	expect(asked).toContain("Daily/2026-11-20.md:");
});

/** A real vault of a thousand notes, where it is there. */
const real = join(repository, "../shared/vaults/help-en");

test.skipIf(!existsSync(real))("a question about a real vault is answered whole", async () => {
	const person = await seat({ vault: real });
	await person.say("Which notes mention canvas?");
	const table = person.answer.getByRole("table", {
		name: /^\d+ notes mention “canvas”, in [\d,]+ places\.$/,
	});
	await table.waitFor();
	const rows = Number(await table.getAttribute("aria-rowcount")) - 1;
	expect(rows).toBeGreaterThan(50);
	expect(await table.getByRole("row").count()).toBeLessThan(80);
	const told = Number(/in ([\d,]+) places/.exec(await person.answer.innerText())?.[1]?.replace(",", ""));
	expect(told).toBe(rows);
	expect(person.playground.errors).toEqual([]);
});
