/** Saying no, stopping, and what is told when something goes wrong on the way. */
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, ideas, leave, sentence, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown(options);
	onTestFinished(() => person.standUp());
	return person;
}

describe("before anything is written", () => {
	test("a dry run shows the plan and its effects, has no Approve, and writes nothing", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.selectIdeas();
		await person.say(sentence, "Dry run");
		await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
		await person.plan.getByText("This is a dry run: nothing is written.").waitFor();
		expect(await person.shown("Projects/XYZ/Insect hotel.md")).toContain("Insect hotel");
		expect(await person.button("Approve").count()).toBe(0);
		await person.button("Close").click();
		await person.plan.waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(before);
		expect(await person.button("Revert last run").count()).toBe(0);
		expect(person.playground.errors).toEqual([]);
	});

	test("a no to the plan closes it and writes nothing", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.askForNotes();
		await person.button("Cancel").click();
		await person.plan.waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(before);
		await person.say(sentence);
		await person.button("Approve").waitFor();
	});

	test("Cancel ends the model's stream at once: its request is aborted, and the next one can be sent", async () => {
		const person = await seat();
		const { model } = person;
		await person.selectIdeas();
		model.setFault({ name: "never-ending", times: 1 });
		await person.say(sentence);
		await person.panel.getByText("I will make one note").waitFor();
		expect(model.requests.at(-1)?.state).toBe("open");
		await person.button("Cancel").click();
		await person.panel.getByRole("article").getByText("Cancelled.").waitFor();
		await eventually(() => model.requests.at(-1)?.state).toBe("aborted");
		expect(await person.plan.count()).toBe(0);
		await person.say(sentence);
		await person.button("Approve").waitFor();
	});

	test("a note that was edited between review and Approve: nothing is written, and what is shown then is simulated on the note as it is", async () => {
		const person = await seat();
		await person.askForNotes();
		await person.page.evaluate(async (path) => {
			const file = window.app.vault.getFileByPath(path);
			if (file) await window.app.vault.process(file, (text) => `${text}A last thought.\n`);
		}, ideas.path);
		await eventually(() => person.read(ideas.path)).toContain("A last thought.");
		const before = hashFolder(person.vault);
		await person.button("Approve").click();
		await person.plan
			.getByText(/^Changed since the plan was made: Inbox\/Ideas for the garden\.md\./)
			.waitFor();
		expect(hashFolder(person.vault)).toEqual(before);
		await person.approve();
		expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
		expect(person.read(ideas.path)).toContain("A last thought.");
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
	});
});

/** A plan with a command in its middle, and a note that is copied after it. */
const tidyAndCopy = {
	name: "Tidy and copy",
	match: ["tidy and copy"],
	reply: "I will sign the note, tidy up and copy it.",
	plan: {
		goal: "Tidy and copy",
		assumptions: [],
		riskLevel: "commands",
		steps: [
			{ id: "sign", tool: "vault.appendFile", args: { path: "Home.md", content: "Signed." } },
			{ id: "tidy", tool: "commands.run", args: { id: "test:tidy" }, dependsOn: ["sign"] },
			{ id: "look", tool: "vault.readFile", args: { path: "Home.md" }, dependsOn: ["tidy"] },
			{ id: "copy", tool: "vault.createFile", args: { path: "Copy.md", content: "$steps.look.content" } },
		],
	},
};

describe("a command in the middle of a plan", () => {
	/** A person whose app has a command that appends a line to a note, some time after it has returned. */
	async function withCommand(path: string): Promise<{ person: Person; runs: () => Promise<number> }> {
		const person = await seat({ settings: { allowCommands: true }, model: { scripts: [tidyAndCopy] } });
		await person.page.evaluate((note) => {
			window.app.commands.addCommand({
				id: "test:tidy",
				name: "Tidy",
				callback: () => {
					document.body.dataset["tidied"] = String(Number(document.body.dataset["tidied"] ?? 0) + 1);
					window.setTimeout(() => {
						const file = window.app.vault.getFileByPath(note);
						if (file) void window.app.vault.process(file, (text) => `${text}Tidied.\n`);
					}, 100);
				},
			});
		}, path);
		return { person, runs: () => person.page.evaluate(() => Number(document.body.dataset["tidied"] ?? 0)) };
	}

	const allow = (person: Person) =>
		person.panel
			.getByRole("region", { name: "Questions" })
			.getByRole("button", { name: "Allow", exact: true })
			.click();

	test("one that changes the note that comes after it: the rest is asked about again, and it is not run a second time", async () => {
		const { person, runs } = await withCommand("Home.md");
		await person.say("tidy and copy");
		await person.plan.waitFor();
		await person.button("Approve").click();
		await allow(person);
		await person.plan.getByText(/^A step that could not be simulated has now run/).waitFor();
		expect(person.read("Home.md")).toContain("Tidied.");
		expect(person.list("")).not.toContain("Copy.md");
		expect(await person.planned()).toEqual(["Copy.md"]);
		await person.approve();
		expect(person.read("Copy.md")).toBe(person.read("Home.md"));
		expect(await runs()).toBe(1);
		await person.revert();
		expect(person.list("")).not.toContain("Copy.md");
		expect(person.playground.errors).toEqual([]);
	});

	test("one that changes nothing of it: the rest is made as it was approved", async () => {
		const { person, runs } = await withCommand("Notes/Mulch.md");
		const before = person.read("Home.md");
		await person.say("tidy and copy");
		await person.plan.waitFor();
		await person.button("Approve").click();
		await allow(person);
		await person.runEnds("ok");
		expect(person.read("Copy.md")).toBe(person.read("Home.md"));
		expect(person.read("Copy.md")).toContain("Signed.");
		expect(person.read("Notes/Mulch.md")).toContain("Tidied.");
		expect(await runs()).toBe(1);
		await person.revert();
		expect(person.read("Home.md")).toBe(before);
		expect(person.read("Notes/Mulch.md")).toContain("Tidied.");
		expect(person.playground.errors).toEqual([]);
	});
});

describe("while a run goes", () => {
	test("Cancel stops it, lists what was done, and that can be taken back", async () => {
		const person = await seat();
		const { faults } = person.playground;
		const before = hashFolder(person.vault);
		await person.askForNotes();
		faults.set({ latencyMs: 150 });
		await person.button("Approve").click();
		await eventually(() => person.list("Projects/XYZ").length).toBeGreaterThan(0);
		await person.button("Cancel").click();
		faults.clear();
		await person.runEnds("cancelled");
		await person.log.getByText(/^Cancelled after \d+ of 15 steps/).waitFor();
		const made = person.list("Projects/XYZ").length;
		expect(made).toBeLessThan(10);
		await person.log.getByText(/^Created (\d+ notes? under )?Projects\/XYZ/).waitFor();
		expect(person.read(ideas.path)).toContain("- Tomato trellis");
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("when the seventh write fails it is told with tool, arguments and a remedy, and 6 of 10 notes are said as such", async () => {
		const person = await seat();
		const { faults } = person.playground;
		const before = hashFolder(person.vault);
		await person.askForNotes();
		faults.set({ fail: [{ op: "write", nth: 7, path: "Projects/XYZ/", code: "ENOSPC" }] });
		await person.approve("partial");
		faults.clear();
		const made = person.list("Projects/XYZ").length;
		expect(made).toBeLessThan(10);
		await person.log.getByText(/^\d+ of 15 steps done, then one failed\.\s*$/).waitFor();
		await person.log.getByText(`Created ${made} notes under Projects/XYZ`).waitFor();
		const problem = person.problem.first();
		await problem.getByText("vault.createFile").waitFor();
		await problem.getByText("in step notes").waitFor();
		expect(await problem.locator(".ea-problem-text").innerText()).toContain("could not be read or written");
		await problem.getByText("Details").click();
		await problem.getByRole("region", { name: "Arguments" }).getByText('"folder"').waitFor();
		expect(person.read(ideas.path)).toContain("- Tomato trellis");
		await person.button("Run the rest").waitFor();
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("Run the rest makes what a failure left out", async () => {
		const person = await seat();
		const { faults } = person.playground;
		const before = hashFolder(person.vault);
		await person.askForNotes();
		faults.set({ fail: [{ op: "write", nth: 3, path: "Projects/XYZ/", code: "EIO" }] });
		await person.approve("partial");
		faults.clear();
		await person.button("Run the rest").click();
		await person.approve();
		expect(person.list("Projects/XYZ")).toHaveLength(10);
		expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
		expect(hashFolder(person.vault)).not.toEqual(before);
	});

	test("where the undo records cannot be written, no note is", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await person.askForNotes();
		const engine = await person.playground.context.newCDPSession(person.page);
		const { origin } = new URL(person.playground.url);
		await engine.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
		await person.button("Approve").click();
		await person.runEnds("failed");
		await person.log.getByText("Nothing was done.").waitFor();
		const told = person.log.getByRole("group", { name: "Problem" });
		expect(await told.innerText()).toContain("Free up some space and try again");
		await engine.send("Storage.overrideQuotaForOrigin", { origin });
		expect(hashFolder(person.vault)).toEqual(before);
	});
});

/** A plan that makes many notes, one step each. */
const many = 150;
const manyNotes = {
	name: "Many notes",
	match: ["many notes"],
	reply: "I will make the notes.",
	plan: {
		goal: "Many notes",
		assumptions: [],
		riskLevel: "writes",
		steps: Array.from({ length: many }, (_, n) => ({
			id: `n${n}`,
			tool: "vault.createFile",
			args: { path: `Many/Note ${n}.md`, content: "One of many." },
		})),
	},
};

test("Cancel ends an undo, which says what it did; undoing again does the rest", async () => {
	const person = await seat({ model: { scripts: [manyNotes] } });
	const { faults } = person.playground;
	const before = hashFolder(person.vault);
	await person.say("many notes");
	await person.plan.waitFor();
	await person.approve();
	expect(person.list("Many")).toHaveLength(many);
	faults.set({ latencyMs: 400 });
	await person.button("Revert last run").click();
	await eventually(() => person.list("Many").length).toBeLessThan(many);
	await person.button("Cancel").click();
	await person.panel
		.getByText("The undo was cancelled. Undo the run again to undo the rest.")
		.last()
		.waitFor();
	faults.clear();
	const left = person.list("Many").length;
	expect(left).toBeGreaterThan(0);
	await person.panel.getByText(`${many - left} files removed.`, { exact: true }).waitFor();
	await person.revert();
	await eventually(() => hashFolder(person.vault)).toEqual(before);
	expect(person.playground.errors).toEqual([]);
});
