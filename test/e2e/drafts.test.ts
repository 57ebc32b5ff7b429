/** What a person writes in a review is in the run, or is let go by the person alone. */
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, leave, sitDown, type Person } from "./person";
import { textsOf } from "./records";

afterAll(leave);

const note = "Projects/XYZ/Insect hotel.md";

/** A person who is writing in a new note of the open review. */
async function writing(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	await person.askForNotes();
	await person.plan.getByRole("button", { name: /Insect hotel/ }).click();
	await person.button("Edit text").click();
	await editor(person).press("Control+End");
	await editor(person).pressSequentially("Mine.");
	return person;
}

const editor = (person: Person) => person.plan.getByRole("textbox", { name: `${note} after` });
/** The plans that have not run, as they are on the disk. */
const keptDrafts = async (person: Person) =>
	[...(await textsOf(person.records, "notrun", /json$/)).values()].join();
const lost = /^Discard what you wrote in .*\? It was not kept, and would be lost\.$/;

test("a text that is being written when Approve is pressed goes into the review, and then on the disk", async () => {
	const person = await writing();
	const before = hashFolder(person.vault);
	await person.button("Approve").click();
	await person.plan.getByText("Your edits are in the review now. Check the files, then approve.").waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
	await person.plan.getByText("Changed by you").waitFor();
	await person.approve();
	expect(person.read(note)).toMatch(/Mine\.$/);
});

test("it is still there when its row was closed and opened again", async () => {
	const person = await writing();
	const row = person.plan.getByRole("button", { name: /Insect hotel/ });
	await row.click();
	await editor(person).waitFor({ state: "detached" });
	await row.click();
	await editor(person).getByText("Mine.").waitFor();
});

test("Cancel and a new message ask before it is lost", async () => {
	const person = await writing();
	await person.button("Cancel").click();
	await person.plan.getByText(lost).waitFor();
	await person.plan.getByRole("group", { name: lost }).getByRole("button", { name: "Back" }).click();
	await editor(person).getByText("Mine.").waitFor();
	await person.say("Something else");
	await person.plan.getByText(lost).waitFor();
	expect(await editor(person).innerText()).toContain("Mine.");
	await person.button("Discard the edits").click();
	await editor(person).waitFor({ state: "detached" });
});

test("a plan that was edited when Approve is pressed is simulated, not the one before it", async () => {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	await person.askForNotes();
	const before = hashFolder(person.vault);
	await person.plan.getByText("Edit plan").click();
	const text = person.plan.getByRole("textbox", { name: "The plan as JSON" });
	await text.fill((await text.inputValue()).replaceAll("Projects/XYZ", "Projects/Mine"));
	await person.button("Approve").click();
	await person.plan.getByText("Your edits are in the review now.").waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
	await person.approve();
	expect(person.read("Projects/Mine/Insect hotel.md")).not.toBe("");
});

test("a restart loses neither the plan nor what is being written in it", async () => {
	const person = await writing();
	await person.button("Keep the change").click();
	await person.plan.getByText("Changed by you").waitFor();
	await person.button("Edit text").click();
	await editor(person).press("Control+End");
	await editor(person).pressSequentially(" And more.");
	await eventually(() => keptDrafts(person)).toContain("And more.");
	await person.restart();
	await person.panel.getByText("Not run:").waitFor();
	await person.button("Review again").click();
	await person.plan.getByRole("button", { name: /Insect hotel/ }).click();
	await editor(person).getByText("Mine. And more.").waitFor();
	await person.button("Approve").click();
	await person.plan.getByText("Your edits are in the review now.").waitFor();
	await person.approve();
	expect(person.read(note)).toMatch(/Mine\. And more\.$/);
	expect(await person.panel.getByText("Not run:").count()).toBe(0);
});

test("a plan that was cancelled is reviewed again, without a model", async () => {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	await person.askForNotes();
	await person.button("Cancel").click();
	await person.button("Review again").click();
	await person.approve();
	expect(person.read(note)).not.toBe("");
});
