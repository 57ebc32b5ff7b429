/** A core that does not react any more: Cancel ends it, another is started, and the panel says so. */
import type { CDPSession, Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, leave, sentence, sitDown, type Person } from "./person";
import { closeSettings, openSettings } from "./settings-page";

afterAll(leave);

async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	return person;
}

/** Stops every worker of the page where it is, as a computation without end does: by the debugger. */
async function freezeWorkers(page: Page): Promise<number> {
	const session: CDPSession = await page.context().newCDPSession(page);
	const workers: string[] = [];
	session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
		if (targetInfo.type === "worker") workers.push(sessionId);
	});
	await session.send("Target.setAutoAttach", {
		autoAttach: true,
		waitForDebuggerOnStart: false,
		flatten: false,
	});
	await eventually(() => workers.length).toBeGreaterThan(0);
	let id = 0;
	for (const sessionId of workers)
		for (const method of ["Debugger.enable", "Debugger.pause"])
			await session.send("Target.sendMessageToTarget", {
				sessionId,
				message: JSON.stringify({ id: ++id, method, params: {} }),
			});
	return workers.length;
}

test("a core that hangs in the middle of a turn is ended by Cancel, said so, and the next message is answered", async () => {
	const person = await seat();
	const before = hashFolder(person.vault);
	await person.selectIdeas();
	person.model.setFault({ name: "never-ending", times: 1 });
	await person.say(sentence);
	await person.panel.getByText("I will make one note").waitFor();
	expect(await freezeWorkers(person.page)).toBeGreaterThan(0);
	await person.button("Cancel").click();
	await person.panel.getByText("stopped responding").first().waitFor();
	// What the model had said stays, and the turn is over.
	await person.panel.getByText("I will make one note").waitFor();
	await person.panel.getByText("so this was stopped").waitFor();
	await person.selectIdeas();
	await person.say(sentence);
	await person.button("Approve").waitFor();
	expect(hashFolder(person.vault)).toEqual(before);
}, 180_000);

test("a review that was open when its core hung stays to be read, cannot be approved, and writes nothing", async () => {
	const person = await seat();
	const before = hashFolder(person.vault);
	await person.askForNotes();
	await freezeWorkers(person.page);
	await person.button("Cancel").click(); // no answer comes
	await person.plan.getByText("was restarted while this review was open").waitFor();
	await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
	expect(await person.button("Approve").count()).toBe(0);
	expect(hashFolder(person.vault)).toEqual(before);
	// One press brings it back: the same plan, and no model is asked for it.
	const asked = person.model.requests.length;
	await person.selectIdeas();
	await person.button("Check the plan again").click();
	await person.button("Approve").click();
	await eventually(() => person.list("Projects/XYZ").length).toBe(10);
	expect(person.model.requests.length).toBe(asked);
}, 180_000);

test("settings that are left while they wait for the core leave an app that goes on", async () => {
	const person = await seat();
	await person.askForNotes(); // the core is awake
	const dialog = await openSettings(person);
	await dialog.getByText("Kept runs use").waitFor();
	await freezeWorkers(person.page);
	await dialog.getByRole("button", { name: "Calculate", exact: true }).click();
	await closeSettings(person);
	// The core does not hear that either, is ended, and all that waited for it is told.
	await person.panel.getByText("was restarted while this review was open").waitFor();
	await person.button("Check the plan again").click();
	await person.button("Approve").waitFor();
}, 180_000);

test("where WebAssembly is turned off the panel says why, what to do, and that nothing is lost", async () => {
	const person = await seat();
	await person.page.evaluate(async () => {
		await window.app.plugins.disablePlugin("embedded-agent");
		Reflect.deleteProperty(window, "WebAssembly");
		await window.app.plugins.enablePlugin("embedded-agent");
	});
	await person.openPanel();
	await person.say("hello");
	const said = await person.readProblem();
	for (const words of ["WebAssembly is turned off", "untouched", "Lockdown Mode"])
		expect(said).toContain(words);
	expect(said).not.toContain("einstall");
});
