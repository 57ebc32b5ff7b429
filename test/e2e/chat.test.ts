/** The chat: what goes along, answers, conversations, an agent at work, and all of it on a phone. */
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { calls, says, startAgentModel, type AgentModel } from "./agent-model";
import { axeViolations, hashFolder, openNote } from "./harness";
import { eventually, ideas, leave, sentence, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

async function seat(options?: Seat): Promise<Person> {
	const person = await sitDown(options);
	onTestFinished(() => person.standUp());
	return person;
}

const message = (person: Person) => person.panel.getByRole("textbox", { name: "Message" });
const articles = (person: Person) => person.panel.getByRole("article");
/** What the demo model says to words that it has no script for. */
const chat = async (person: Person, text: string) => {
	const before = await articles(person).count();
	await message(person).fill(text);
	await message(person).press("Enter");
	await eventually(() => articles(person).count()).toBe(before + 1);
	await articles(person).last().getByRole("button", { name: "Copy answer" }).waitFor();
};
/** The last answer, once all of it is drawn. */
const reply = (person: Person) => articles(person).last().locator('.ea-reply[aria-busy="false"]').innerText();
const lastBody = (person: Person) => JSON.stringify(person.model.requests.at(-1)?.body);

describe("what goes along", () => {
	test("notes, headings, folders and tags are found by @, go along, and are named in the text", async () => {
		const person = await seat();
		const { page } = person;
		await message(person).pressSequentially("Compare @seed sav");
		await page.getByRole("option", { name: /^Seed saving/ }).waitFor();
		await message(person).press("Enter");
		await message(person).pressSequentially("with @start here#");
		await page
			.getByRole("option", { name: /^Start here ›/ })
			.first()
			.waitFor();
		await message(person).press("Tab");
		await message(person).pressSequentially("and @Recipes");
		await page.getByRole("option", { name: "Recipes/", exact: true }).click();
		await message(person).pressSequentially("and @#");
		const tag = page.getByRole("option", { name: /^#/ }).first();
		await tag.waitFor();
		await tag.click();
		expect(await message(person).inputValue()).toMatch(
			/^Compare \[\[Notes\/Seed saving\]\] with \[\[Start here#.+\]\] and “Recipes” and #\S+ $/,
		);
		const chips = (name: string) => person.panel.getByRole("group", { name, exact: true }).count();
		expect(await Promise.all(["Note", "Heading", "Folder", "Tag"].map(chips))).toEqual([1, 1, 1, 1]);
		await message(person).press("Enter");
		await articles(person).last().getByRole("button", { name: "Copy answer" }).waitFor();
		const along = articles(person).last().locator(".ea-said").getByRole("listitem");
		expect((await along.allInnerTexts()).map((text) => text.trim())).toEqual([
			"Seed saving",
			expect.stringMatching(/^Start here › /),
			"Recipes/",
			expect.stringMatching(/^#/),
		]);
		expect(lastBody(person)).toContain("Seed saving");
		expect(await chips("Note")).toBe(0);
	});

	test("a name is found among what has just been made, and not what is gone", async () => {
		const person = await seat();
		await message(person).pressSequentially("@Nowhere");
		await person.page.evaluate(() => window.app.vault.create("Nowhere to be found.md", ""));
		await message(person).pressSequentially(" to");
		await person.page.getByRole("option", { name: /^Nowhere to be found/ }).waitFor();
		await person.page.evaluate(async () => {
			const file = window.app.vault.getFileByPath("Nowhere to be found.md");
			if (file) await window.app.vault.delete(file);
		});
		await message(person).pressSequentially(" be");
		await person.page.getByRole("option").waitFor({ state: "detached" });
	});

	test("the open note goes along unless it is left out, and the meter follows", async () => {
		const person = await seat();
		await openNote(person.page, ideas.path);
		await person.panel
			.getByRole("group", { name: "Active note" })
			.getByText("Ideas for the garden")
			.waitFor();
		const meter = person.panel.getByRole("meter", { name: "Size of the message" });
		await meter.waitFor();
		const size = async () => Number(await meter.getAttribute("aria-valuenow"));
		const small = await size();
		await message(person).fill("word ".repeat(2000));
		await eventually(size).toBeGreaterThan(small + 1000);
		await message(person).fill("What is in the note?");
		await person.button("Leave out the active note").click();
		await message(person).press("Enter");
		await articles(person).last().getByRole("button", { name: "Copy answer" }).waitFor();
		expect(lastBody(person)).not.toContain("Ideas for the garden");
		await chat(person, "And now?");
		expect(lastBody(person)).toContain("Ideas for the garden");
	});

	test("a note that is dragged from the app is attached, by its address", async () => {
		const person = await seat();
		await message(person).evaluate((el) => {
			const data = new DataTransfer();
			const vault = encodeURIComponent(window.app.vault.getName());
			data.setData("text/plain", `obsidian://open?vault=${vault}&file=${encodeURIComponent("Notes/Soil")}`);
			el.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
		});
		await person.panel.getByRole("group", { name: "Note", exact: true }).getByText("Soil").waitFor();
	});
});

describe("an answer", () => {
	test("goes into the note where the cursor is, or in the selection's place, and the editor's undo takes it back", async () => {
		const person = await seat();
		await chat(person, "Good morning");
		const words = (await reply(person)).slice(0, 20);
		await person.selectIdeas();
		const before = await person.editorText();
		const undo = () => person.page.evaluate(() => window.app.workspace.activeEditor?.editor?.undo());
		await person.button("Replace selection").click();
		await eventually(() => person.editorText()).toContain(words);
		expect(await person.editorText()).not.toContain("- Tomato trellis");
		await undo();
		await eventually(() => person.editorText()).toBe(before);
		await person.button("Insert at cursor").click();
		await eventually(() => person.editorText()).toContain(words);
		expect(await person.editorText()).toContain("- Tomato trellis");
		await undo();
		await eventually(() => person.editorText()).toBe(before);
	});

	test("is given again in its own place, and an edited message takes the place of the last", async () => {
		const person = await seat();
		await chat(person, "Good morning");
		const requests = person.model.requests.length;
		await person.button("Regenerate answer").click();
		await eventually(() => person.model.requests.length).toBe(requests + 1);
		await articles(person).last().getByRole("button", { name: "Copy answer" }).waitFor();
		expect(await articles(person).count()).toBe(1);
		await person.button("Edit and send again").click();
		await message(person).press("End");
		await message(person).pressSequentially(", dear model");
		await message(person).press("Enter");
		await person.panel.getByText("Good morning, dear model").waitFor();
		await articles(person).last().getByRole("button", { name: "Copy answer" }).waitFor();
		expect(await articles(person).count()).toBe(1);
		expect(lastBody(person).match(/Good morning/g)).toHaveLength(1);
	});
});

describe("conversations", () => {
	test("are there after a restart, with the draft; they are searched, renamed, gone on with, and removed", async () => {
		const person = await seat();
		const { page } = person;
		await chat(person, "Tell me of hedgehogs");
		await person.newConversation();
		await chat(person, "Tell me of owls");
		await message(person).fill("half a thought");
		await person.restart();
		await person.panel.getByText("Tell me of owls").waitFor();
		expect(await message(person).inputValue()).toBe("half a thought");
		expect(await person.panel.getByText("Tell me of hedgehogs").count()).toBe(0);

		await person.button("Conversations").click();
		const list = person.panel.getByRole("list", { name: "Conversations" }).getByRole("listitem");
		await eventually(() => list.count()).toBe(2);
		await person.panel.getByRole("searchbox", { name: "Search conversations" }).fill("hedgehog");
		await eventually(() => list.count()).toBe(1);
		await list.getByRole("button", { name: /^More options for/ }).click();
		await page.getByRole("menuitem", { name: "Rename" }).click();
		await person.panel.getByLabel("New title").fill("On hedgehogs, by night");
		await page.keyboard.press("Enter");
		await list.getByText("On hedgehogs, by night").waitFor();
		await list.getByRole("button", { name: /^On hedgehogs, by night/ }).click();
		await person.panel.getByText("Tell me of hedgehogs").waitFor();
		await chat(person, "And what do they eat?");
		expect(await articles(person).count()).toBe(2);
		expect(lastBody(person)).toContain("Tell me of hedgehogs");
		expect(lastBody(person)).not.toContain("owls");

		await person.button("Conversations").click();
		await list
			.first()
			.getByRole("button", { name: /^More options for/ })
			.click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await person.button("Delete").click();
		await eventually(() => list.count()).toBe(0);
		await person.panel.getByRole("searchbox").fill("");
		await eventually(() => list.count()).toBe(1);
	});

	test("one is written to a note through a review, like all that is written", async () => {
		const person = await seat();
		await chat(person, "Tell me of owls");
		const before = hashFolder(person.vault);
		await person.button("Conversations").click();
		await person.panel.getByRole("button", { name: /^More options for/ }).click();
		await person.page.getByRole("menuitem", { name: "Save to a note" }).click();
		await person.panel.getByLabel("Path of the note").fill("Talks/Owls.md");
		await person.button("Review the note").click();
		await person.plan.waitFor();
		expect(hashFolder(person.vault)).toEqual(before);
		expect(await person.shown("Talks/Owls.md")).toContain("> Tell me of owls");
		await person.approve();
		expect(person.read("Talks/Owls.md")).toContain("> Tell me of owls");
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
	});
});

describe("an agent at work", () => {
	const turns = [
		[calls("vault.searchText", { query: "compost" })],
		[calls("vault.createFile", { path: "Compost list.md", content: "# Compost\n\nShort.\n" })],
		[says("I made a short list.")],
		[says("I leave it at that.")],
	];

	async function agentSeat(model: AgentModel): Promise<Person> {
		onTestFinished(() => model.close());
		const person = await seat({ settings: { demoModelUrl: model.url } });
		await person.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
		return person;
	}

	test("is told as it goes, steered and given more; then its work is reviewed, run and taken back", async () => {
		// The call that was chosen before the person joined in is not made; the model thinks again.
		const model = await startAgentModel([turns[0]!, turns[1]!, ...turns.slice(1)], 1);
		const person = await agentSeat(model);
		const before = hashFolder(person.vault);
		await person.say("Make a list of what the notes say of compost");
		const rows = person.panel.getByRole("list", { name: "Calls" }).getByRole("listitem");
		await rows.getByText("Searched “compost”: ").waitFor();
		await message(person).fill("Keep it short");
		await message(person).press("Enter");
		await person.panel.getByText("Sent while the agent was working: Keep it short").waitFor();
		await message(person).fill("Then stop");
		await message(person).press("Alt+Enter");
		await person.panel.getByText("Queued: Then stop").waitFor();
		expect(hashFolder(person.vault)).toEqual(before);
		model.release();
		await person.plan.waitFor();
		expect(model.asked[2]).toContain("Keep it short");
		expect(model.asked[3]).not.toContain("Then stop");
		expect(model.asked[4]).toContain("Then stop");
		await person.panel
			.getByText(/^\d calls$/)
			.first()
			.click();
		await rows.getByText("Created Compost list").last().waitFor();
		expect(await person.shown("Compost list.md")).toContain("Short.");
		expect(hashFolder(person.vault)).toEqual(before);
		await person.approve();
		expect(person.read("Compost list.md")).toBe("# Compost\n\nShort.\n");
		await person.revert();
		expect(hashFolder(person.vault)).toEqual(before);
		expect(person.playground.errors).toEqual([]);
	});

	test("is stopped by Escape, and goes on by Continue", async () => {
		// The second answer is never read.
		const model = await startAgentModel([turns[0]!, [says("Never.")], ...turns.slice(1)], 1);
		const person = await agentSeat(model);
		await person.say("Make a list of what the notes say of compost");
		await person.panel.getByText("Searched “compost”: ").waitFor();
		await message(person).press("Escape");
		await person.button("Continue").waitFor();
		model.release();
		await person.button("Continue").click();
		await person.button("Approve").waitFor();
	});
});

describe("with the panel closed", () => {
	test("the status bar tells how far a run is, and a notice at its end opens it", async () => {
		const person = await seat();
		const { page, playground } = person;
		await person.askForNotes();
		playground.faults.set({ latencyMs: 150 });
		await person.button("Approve").click();
		await eventually(() => person.list("Projects/XYZ").length).toBeGreaterThan(0);
		await page.evaluate(() => window.app.workspace.detachLeavesOfType("embedded-agent-panel"));
		await page
			.locator(".status-bar")
			.getByText(/\d+ of 15/)
			.waitFor();
		playground.faults.clear();
		const notice = page.locator(".notice.ea-notice, .notice .ea-notice, .ea-notice").last();
		await notice.click();
		await person.runEnds("ok");
		expect(
			await page
				.locator(".status-bar")
				.getByText(/\d+ of 15/)
				.count(),
		).toBe(0);
		expect(playground.errors).toEqual([]);
	});

	test("the link of a run opens it", async () => {
		const person = await seat();
		await person.askForNotes();
		await person.approve();
		const [run] = await person.records.list("runs");
		await person.restart();
		await person.page.evaluate((id) => {
			const app = window.app as unknown as { openProtocolUrl(url: string): boolean };
			app.openProtocolUrl(`obsidian://embedded-agent?run=${id}`);
		}, run);
		const history = person.panel.getByRole("region", { name: "History" });
		await history.getByText("11 files changed, 1 folder").waitFor();
	});

	test("the link of a turn that led to no run opens its conversation, whichever is open; one that nothing is kept of says so", async () => {
		const model = await startAgentModel([[says("An owl is a bird.")], [says("Soil is not.")]]);
		onTestFinished(() => model.close());
		const person = await seat({ settings: { demoModelUrl: model.url } });
		await person.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
		await chat(person, "Tell me of owls");
		const [turn = ""] = await person.records.list("traces");
		await person.newConversation();
		await chat(person, "And of soil");
		await person.restart();
		expect(await person.panel.getByText("An owl is a bird.").count()).toBe(0);
		const follow = (run: string) =>
			person.page.evaluate((id) => {
				const app = window.app as unknown as { openProtocolUrl(url: string): boolean };
				app.openProtocolUrl(`obsidian://embedded-agent?run=${id}`);
			}, run);
		await follow(turn);
		await person.panel.getByText("An owl is a bird.").waitFor();
		expect(await person.panel.getByText("Soil is not.").count()).toBe(0);
		await follow("01a00000-0000-7000-8000-000000000000");
		expect(await person.readProblem()).toBe("The records of this run no longer exist.");
	});
});

test("after a revert the run's card no longer says that notes were made, and folders are not counted as files", async () => {
	const person = await seat();
	await person.askForNotes();
	await person.approve();
	await person.log.getByText("11 files changed, 1 folder").waitFor();
	await person.log.getByText("Created 10 notes under Projects/XYZ").waitFor();
	await person.revert();
	await person.panel.locator(".ea-reverted").getByText("10 files removed.").waitFor();
	await person.panel.locator(".ea-reverted").getByText("1 folder removed.").waitFor();
	await person.panel.locator(".ea-reverted").getByText("1 file restored.").waitFor();
	await person.panel
		.getByRole("status")
		.getByText("10 files removed. 1 folder removed. 1 file restored.")
		.waitFor();
	await person.log.getByText(/^Undone/).waitFor();
	expect(await person.log.getByText("Created 10 notes under Projects/XYZ").count()).toBe(0);
	expect(await person.log.getByText("11 files changed, 1 folder").count()).toBe(0);
	await person.button("History").click();
	const history = person.panel.getByRole("region", { name: "History" });
	await history.getByText("12 changes undone.").waitFor();
});

test("one file of a run is taken back alone", async () => {
	const person = await seat();
	await person.askForNotes();
	await person.approve();
	await person.log.getByText("11 files changed, 1 folder").click();
	await person.button(`Undo ${ideas.path}`).click();
	await eventually(() => person.read(ideas.path)).toContain("- Tomato trellis");
	expect(person.list("Projects/XYZ")).toHaveLength(10);
});

test("a region shows no tooltip of its name; a button does", async () => {
	const person = await seat();
	await person.askForNotes();
	await person.plan.getByRole("heading").first().hover();
	await eventually(() => person.page.getByRole("tooltip").count()).toBe(0);
	await person.button("History").hover();
	await person.page.getByRole("tooltip", { name: "History" }).waitFor();
});

describe.each(["android", "ios"] as const)("on %s", (profile) => {
	test("the chat is done by touch: targets of 44 pixels, nothing that needs hovering, no axe violation", async () => {
		const person = await seat({ profile });
		const { page } = person;
		const check = async (state: string) => {
			expect(await axeViolations(page, ".ea-panel"), state).toEqual([]);
			expect(await smallTargets(person), state).toEqual([]);
		};
		await person.button("Add to the message").tap();
		await page.getByRole("menuitem", { name: "Note, folder, tag or heading" }).tap();
		await message(person).pressSequentially("soil");
		await page.getByRole("option", { name: /^Soil/ }).waitFor();
		await check("while naming a note");
		await page.getByRole("option", { name: /^Soil/ }).tap();
		await check("with a note that goes along");
		await message(person).pressSequentially("What does it say?");
		await person.button("Run").tap();
		await articles(person).last().getByRole("button", { name: "Copy answer" }).waitFor();
		await check("with an answer");
		await person.button("Conversations").tap();
		await person.panel.getByRole("list", { name: "Conversations" }).getByRole("listitem").waitFor();
		await check("in the conversations");
		expect(person.playground.errors).toEqual([]);
	});
});

/** What can be pressed and is smaller than 44 pixels either way (links in text aside). */
function smallTargets(person: Person): Promise<string[]> {
	return person.panel.evaluate((panel) =>
		[...panel.querySelectorAll<HTMLElement>("button, input, select, textarea, summary, [role=option]")]
			.map((el) => (el.matches(".ea-hidden") && el.parentElement?.matches("label") ? el.parentElement : el))
			.filter((el) => el.checkVisibility() && !el.matches(".ea-hidden, label .ea-hidden"))
			.map((el) => ({ el, box: el.getBoundingClientRect() }))
			.filter(({ box }) => box.height < 43.5 || box.width < 43.5)
			.map(
				({ el, box }) => `${el.outerHTML.slice(0, 90)} ${Math.round(box.width)}x${Math.round(box.height)}`,
			),
	);
}

test("the main sentence still runs with Enter from the field alone", async () => {
	const person = await seat();
	await person.selectIdeas();
	await message(person).fill(sentence);
	await message(person).press("Enter");
	await person.approve();
	expect(person.list("Projects/XYZ")).toHaveLength(10);
});
