/** What a model or its provider gets wrong: a sentence that tells what to do, or a plan that was mended. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, leave, sentence, sitDown, type Person } from "./person";

let person: Person;
let before: Record<string, string>;

beforeAll(async () => {
	person = await sitDown();
	before = hashFolder(person.vault);
	await person.selectIdeas();
});
beforeEach(async () => {
	person.model.setFault(null);
	if (await person.plan.isVisible()) await person.button("Cancel").click();
	await person.button("New conversation").click();
	await person.panel.getByText("Say what you want done to your notes.").waitFor();
});
afterAll(async () => {
	await person?.standUp();
	await leave();
});

/** How many requests the model has had. */
const asked = () => person.model.requests.length;

describe("a provider that fails", () => {
	test.each([
		["401", "refused the key", "Open the settings and enter a valid key"],
		["404", "does not know this model or address", "Check both in the settings"],
		["html", "answered with a web page", "Check the address in the settings"],
		["empty-stream", "answered with nothing", "choose another model"],
		["cut", "broke", "Try again"],
		["error-event", "", "Try again"],
		["failed", "", "Try again"],
	])("%s is told with what to do, and changes nothing", async (fault, says, remedy) => {
		person.model.setFault(fault);
		await person.say(sentence);
		const text = await person.readProblem();
		expect(text).toContain(says);
		expect(text).toContain(remedy);
		expect(await person.plan.count()).toBe(0);
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("a refused key offers the settings, and they open at this plugin", async () => {
		person.model.setFault("401");
		await person.say(sentence);
		await person.problem.getByRole("button", { name: "Open settings" }).click();
		await person.page.getByRole("dialog", { name: "Settings" }).getByText("Ask before a run").waitFor();
		await person.page.keyboard.press("Escape");
	});

	test("429 with Retry-After is waited for as long as it says, told meanwhile, and the plan comes", async () => {
		person.model.setFault({ name: "429", times: 1, retryAfter: 1 });
		const requests = asked();
		await person.say(sentence);
		await person.panel.getByText("The provider asked to wait; trying again in 1 s.").waitFor();
		await person.button("Approve").waitFor();
		expect(asked()).toBe(requests + 2);
	});

	test("429 that asks for a long wait is told with the time and what to do", async () => {
		person.model.setFault({ name: "429", retryAfter: 3600 });
		await person.say(sentence);
		expect(await person.readProblem()).toMatch(/asks to wait .* Try again later, or choose another model\./);
		await person.problem
			.getByText("Try again in 3,600 seconds.")
			.or(person.problem.getByText("Try again in 3600 seconds."))
			.waitFor();
	});

	test("500 once is tried again without a word of the person", async () => {
		person.model.setFault({ name: "500", times: 1 });
		await person.say(sentence);
		await person.button("Approve").waitFor();
	});

	test("a silent stream can be stopped", async () => {
		person.model.setFault("silent");
		await person.say(sentence);
		await person.panel.getByText("I will make one note").waitFor();
		await person.button("Cancel").click();
		await person.panel.getByRole("article").getByText("Cancelled.").waitFor();
	});

	test("a refusal is shown as the model's answer", async () => {
		person.model.setFault("refusal");
		await person.say(sentence);
		await person.panel.getByText("I'm sorry, but I can't help with that.").waitFor();
		expect(await person.plan.count()).toBe(0);
	});
});

describe("a model whose plan is wrong", () => {
	test.each([
		["bad-json", "did not pass the checks"],
		["unknown-tool", "vault.makeCoffee"],
		["unknown-field", "priority"],
		["cycle", "runs only after this one (selection → replace → links → notes → bullets → selection)"],
		["empty-plan", "no steps"],
		["10000-steps", "10000 steps"],
	])("%s is sent back twice, then told with its reason, and changes nothing", async (fault, reason) => {
		person.model.setFault(fault);
		const requests = asked();
		await person.say(sentence);
		const text = await person.readProblem();
		expect(text.replaceAll(",", "")).toContain(reason);
		expect(text).toContain("Nothing was changed. Say it in other words, or choose another model.");
		expect(asked() - requests).toBe(3);
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("a plan that is cut off at the output limit says so", async () => {
		person.model.setFault("incomplete");
		await person.say(sentence);
		expect(await person.readProblem()).toMatch(/cut off/);
		expect(await person.plan.count()).toBe(0);
	});

	test("a plan that is wrong once is mended before the person sees it", async () => {
		person.model.setFault({ name: "unknown-tool", times: 1 });
		const requests = asked();
		await person.say(sentence);
		await person.button("Approve").waitFor();
		expect(asked() - requests).toBe(2);
		expect(JSON.stringify(person.model.requests.at(-1)?.body)).toContain(
			"There is no tool “vault.makeCoffee”",
		);
	});

	test("a plan that is right only the third time is shown", async () => {
		person.model.setFault("wrong-twice");
		await person.say(sentence);
		await person.button("Approve").waitFor();
		await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
	});
});

test("an endpoint that takes no temperature is asked without one", async () => {
	person.model.setFault("no-temperature");
	await person.say(sentence);
	await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
});

describe("a model server that does not let apps read its answers (CORS)", () => {
	let other: Person;
	beforeAll(async () => {
		other = await sitDown();
		other.model.setCors(false);
		await other.selectIdeas();
	});
	afterAll(async () => {
		await other?.standUp();
	});
	const off = () => other.panel.getByText("Streaming is off for this endpoint");

	test("is reached by the app's own client, with the same plan, and the panel says that streaming is off", async () => {
		await other.say(sentence);
		await other.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
		await off().first().waitFor();
		expect(await off().first().textContent()).toContain(new URL(other.model.url).host);
		// The page's own attempts never became requests: what the model got came from the app's client.
		expect(other.model.requests).toHaveLength(1);
	});

	test("is not said again for the next instruction, nor is the refused way tried", async () => {
		await other.button("Cancel").click();
		await other.button("New conversation").click();
		const blocked = () => other.playground.errors.filter((error) => /CORS/.test(error)).length;
		const before = blocked();
		await other.say(sentence);
		await other.button("Approve").waitFor();
		expect(await off().count()).toBe(0);
		expect(blocked()).toBe(before);
	});

	test("whose refusals reach the person with the provider's own words", async () => {
		await other.button("Cancel").click();
		other.model.setFault("401");
		await other.say(sentence);
		expect(await other.readProblem()).toContain("refused the key");
		await eventually(() => other.plan.count()).toBe(0);
	});
});

test("none of it left an error on the console, other than the browser's own words about refused requests", () => {
	const own = person.playground.errors.filter((error) => !/Failed to load resource|net::ERR/.test(error));
	expect(own).toEqual([]);
});
