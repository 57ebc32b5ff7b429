/** The panel in its main states: no violations of WCAG that axe finds, and nothing on the console. */
import { afterAll, describe, expect, test } from "vitest";
import { axeViolations } from "./harness";
import { eventually, leave, sentence, sitDown } from "./person";

afterAll(leave);

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
	test("the panel is free of axe violations from the first look to the revert", async () => {
		const person = await sitDown({ theme });
		const { page, model, playground } = person;
		const clean = async (state: string) => expect(await axeViolations(page, ".ea-panel"), state).toEqual([]);
		await clean("at the start");
		await person.selectIdeas();
		model.setFault("silent");
		await person.say(sentence);
		await person.panel.getByText("I will make one note").waitFor();
		await clean("while the model answers");
		await person.button("Cancel").click();
		model.setFault("unknown-tool");
		await person.say(sentence);
		await person.readProblem();
		await clean("with a problem");
		model.setFault(null);
		await person.say(sentence);
		await person.plan.waitFor();
		await person.shown("Projects/XYZ/Insect hotel.md");
		await clean("in review");
		playground.faults.set({ latencyMs: 100 });
		await person.button("Approve").click();
		await eventually(() => person.list("Projects/XYZ").length).toBeGreaterThan(0);
		await person.panel.getByRole("progressbar", { name: "Run progress" }).waitFor();
		playground.faults.clear();
		await person.runEnds("ok");
		await clean("after the run");
		await person.button("Save as action").click();
		await person.panel.getByRole("textbox", { name: "Name of the action" }).fill("Ten notes");
		await clean("while naming an action");
		await person.button("Save").click();
		await person.revert();
		await clean("after the revert");
		await person.button("History").click();
		await person.panel
			.getByRole("region", { name: "History" })
			.getByText("Create one note for each")
			.first()
			.waitFor();
		await clean("in the history");
		expect(playground.errors).toEqual([]);
		await person.standUp();
	});
});

test("the whole story can be done by keyboard alone", async () => {
	const person = await sitDown();
	const { page } = person;
	await person.selectIdeas();
	const focusMessage = async () => {
		await page.keyboard.press("Control+p");
		await page.keyboard.type("Embedded Agent: Open");
		await page.keyboard.press("Enter");
		const message = person.panel.getByRole("textbox", { name: "Message" });
		await eventually(() => message.evaluate((el) => el === document.activeElement)).toBe(true);
	};
	await focusMessage();
	await page.keyboard.type(sentence);
	await page.keyboard.press("Enter");
	await person.button("Approve").waitFor();
	const press = async (name: string) => {
		const wanted = person.button(name);
		await focusMessage();
		for (let i = 0; i < 60 && !(await wanted.evaluate((el) => el === document.activeElement)); i++)
			await page.keyboard.press("Shift+Tab");
		expect(await wanted.evaluate((el) => el === document.activeElement), name).toBe(true);
		await page.keyboard.press("Enter");
	};
	await press("Approve");
	await person.runEnds("ok");
	expect(person.list("Projects/XYZ")).toHaveLength(10);
	await press("Revert last run");
	await eventually(() => person.list("Projects/XYZ")).toEqual([]);
	await person.standUp();
});
