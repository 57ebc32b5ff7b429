import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { hashFolder, repository } from "./harness";
import { ideas, leave, sentence, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown(options);
	onTestFinished(() => person.standUp());
	return person;
}

const titles = [
	"A noticeboard by the gate, where everybody can see",
	"Children's corner",
	"Compost café",
	"Herb spiral",
	"Insect hotel",
	"Rain barrels under the shed roof, with a lid and a",
	"Raised bed for wheelchair users",
	"Seed library",
	"Tomato trellis",
	"Winter lights & soup evening",
];

describe("the main story on the sample vault", () => {
	test("ten bullets become ten notes, the selection becomes links, and Revert leaves every byte as it was", async () => {
		const person = await seat();
		const { page, vault } = person;
		const before = hashFolder(vault);
		const note = person.read(ideas.path);
		await person.selectIdeas();
		await person.say(sentence);
		await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
		await person.plan.getByText(`Will modify ${ideas.path}`).waitFor();
		await person.plan.getByText("11 files, 1 folder", { exact: true }).waitFor();
		expect(hashFolder(vault), "nothing is written before the yes").toEqual(before);

		// What is shown is what will be written, to the last character.
		const names = await person.planned();
		const created = names.filter((path) => path.startsWith("Projects/XYZ/"));
		expect(created).toHaveLength(10);
		created.forEach((path, i) => expect(path).toContain(`Projects/XYZ/${titles[i]}`));
		const shown = new Map<string, string>();
		for (const path of created) shown.set(path, await person.shown(path));

		await person.approve();
		for (const [path, text] of shown) expect(person.read(path), path).toBe(text);
		expect(person.list("Projects/XYZ").map((name) => `Projects/XYZ/${name}`)).toEqual([...created].sort());

		// The selection is links now, in the editor and in the file; what is around it is as it was.
		const lines = note.split("\n");
		const changed = person.read(ideas.path).split("\n");
		expect(changed.slice(0, ideas.from)).toEqual(lines.slice(0, ideas.from));
		expect(changed.slice(ideas.from + 10)).toEqual(lines.slice(ideas.to + 1));
		const links = changed.slice(ideas.from, ideas.from + 10);
		for (const link of links) expect(link).toMatch(/^- \[\[.+\]\]$/);
		expect(links[0]).toBe("- [[Tomato trellis]]");
		expect(await person.editorText()).toBe(person.read(ideas.path));

		// The progress is at its end, and every call has a line that opens to what went in and what came out.
		const bar = person.panel.getByRole("progressbar", { name: "Run progress" });
		expect(await bar.getAttribute("aria-valuenow")).toBe(await bar.getAttribute("aria-valuemax"));
		await person.log.getByText("Created 10 notes under Projects/XYZ").waitFor();
		await person.log.getByText("15 calls").waitFor();
		const calls = person.log.getByRole("list", { name: "Calls" });
		// The loop folded when it was done.
		await calls.getByRole("button", { name: /10 done/ }).click();
		const call = calls.getByRole("button", { name: /Created / }).last();
		await call.click();
		await calls.getByRole("region", { name: "Arguments" }).getByText('"folder": "Projects/XYZ"').waitFor();
		await calls.getByRole("region", { name: "Result" }).getByText('"path": "Projects/XYZ/').waitFor();

		await person.revert();
		expect(hashFolder(vault)).toEqual(before);
		expect(await person.editorText()).toBe(note);
		expect(await page.evaluate(() => window.app.vault.getAbstractFileByPath("Projects/XYZ"))).toBeNull();
		expect(person.playground.errors).toEqual([]);
	});

	test("the reply streams in, word by word, before the plan is there", async () => {
		const person = await seat({ model: { delayMs: 25 } });
		await person.selectIdeas();
		await person.page.evaluate(() => {
			const seen: string[] = [];
			Object.assign(window, { seen });
			const look = () => {
				const text = document.querySelector(".ea-reply")?.textContent ?? "";
				if (text !== "" && text !== seen.at(-1)) seen.push(text);
			};
			const panel = document.querySelector(".ea-panel");
			if (panel)
				new MutationObserver(look).observe(panel, { childList: true, subtree: true, characterData: true });
		});
		await person.say(sentence);
		await person.panel.getByText("The model is answering…").waitFor();
		expect(await person.plan.count()).toBe(0);
		await person.plan.waitFor();
		const seen = await person.page.evaluate(() => (window as unknown as { seen: string[] }).seen);
		expect(seen.length).toBeGreaterThan(5);
		const whole = seen.at(-1) ?? "";
		expect(whole).toContain("I will make one note for each of the 10 bullets in Projects/XYZ.");
		for (const part of seen) expect(whole.startsWith(part.trimEnd()), part).toBe(true);
	});

	test("the panel says that a demo model answers, and how large the selection is", async () => {
		const person = await seat();
		await person.selectIdeas();
		await person.panel.getByText("This is a demo model").waitFor();
		const selection = person.panel.getByRole("group", { name: "Selection" });
		await selection.getByText("- Tomato trellis").waitFor();
		await selection.getByText(/^about \d+ tokens$/).waitFor();
		await person.button("Leave out the selection").click();
		await person.say(sentence);
		await person.panel.getByText("I see no selection.").waitFor();
	});
});

const vaults = resolve(repository, "../shared/vaults");

/** The first list of at least three plain bullets in a vault: its note, and its lines from 0. */
function firstList(folder: string): { path: string; from: number; to: number } {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const notes = entries
		.filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
		.filter((path) => !/(^|\/)\./.test(path))
		.sort();
	for (const path of notes) {
		const lines = readFileSync(join(folder, path), "utf8").split("\n");
		const from = lines.findIndex((_, i) => [0, 1, 2].every((k) => /^[-*] [^\s[]/.test(lines[i + k] ?? "")));
		if (from < 0) continue;
		let to = from;
		while (to - from < 9 && /^[-*] [^\s[]/.test(lines[to + 1] ?? "")) to++;
		return { path, from, to };
	}
	throw new Error(`No note in ${folder} has a list of three bullets.`);
}

describe.each(["help-en", "kepano", "oldwinter"])("the main story on a copy of the vault %s", (name) => {
	const folder = join(vaults, name);

	test.skipIf(!existsSync(folder))(
		"a list becomes notes and links, and Revert leaves every byte as it was",
		async () => {
			const list = firstList(folder);
			const person = await seat({ vault: folder });
			const before = hashFolder(person.vault);
			const lines = person.read(list.path).split("\n");
			const bullets = list.to - list.from + 1;
			await person.selectIn(list.path, list.from, list.to);
			await person.say(sentence);
			await person.plan.getByText(`Will create ${bullets} notes under Projects/XYZ`).waitFor();
			expect(hashFolder(person.vault)).toEqual(before);
			const paths = await person.planned();
			const first = paths.find((path) => path.startsWith("Projects/XYZ/")) ?? "";
			const shown = await person.shown(first);
			await person.approve();
			expect(person.read(first)).toBe(shown);
			expect(person.list("Projects/XYZ")).toHaveLength(bullets);
			const after = person.read(list.path).split("\n");
			expect(after.slice(0, list.from)).toEqual(lines.slice(0, list.from));
			expect(after.slice(list.to + 1)).toEqual(lines.slice(list.to + 1));
			for (const line of after.slice(list.from, list.to + 1)) expect(line).toMatch(/^- (\[\[|\[.*\]\().+/);
			await person.revert();
			expect(hashFolder(person.vault)).toEqual(before);
			expect(person.playground.errors).toEqual([]);
		},
	);
});
