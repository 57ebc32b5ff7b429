/** The app, or the core in it, dies in the middle of a run. */
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, ideas, leave, sitDown, type Person } from "./person";

afterAll(leave);

async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	return person;
}

const offer = (person: Person) => person.panel.getByRole("region", { name: "Unfinished run" });

/**
 * Approves, and lets the disk fall silent for good at the nth note that the plugin writes; then restarts the app.
 * What it writes in its own folder meanwhile is not counted: how much that is by then depends on the machine.
 */
async function killAt(person: Person, n: number): Promise<void> {
	const { faults } = person.playground;
	await person.askForNotes();
	faults.resetCounters();
	const { generation } = faults;
	faults.set({ freezeAt: n, freezePath: "Projects/XYZ/" });
	await person.button("Approve").click();
	await eventually(() => faults.generation).toBeGreaterThan(generation);
	await person.restart();
}

describe("a kill in the middle of a run", () => {
	test("offers what is unfinished at the next start, and Undo leaves every byte as it was", async () => {
		const person = await seat();
		const before = hashFolder(person.vault);
		await killAt(person, 5);
		await offer(person).getByText("A run was interrupted").waitFor();
		await offer(person)
			.getByText(/^Started /)
			.waitFor();
		expect(hashFolder(person.vault)).not.toEqual(before);
		await person.button("Undo").click();
		await offer(person).waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("Finish makes what was approved and is missing", async () => {
		const person = await seat();
		await killAt(person, 5);
		await offer(person).waitFor();
		expect(person.list("Projects/XYZ").length).toBeLessThan(10);
		await person.button("Finish").click();
		await offer(person).waitFor({ state: "detached" });
		expect(person.list("Projects/XYZ")).toHaveLength(10);
		expect(person.read(ideas.path)).toContain("- [[Tomato trellis]]");
	});

	test("Leave as is keeps what was done, and does nothing more", async () => {
		const person = await seat();
		await killAt(person, 5);
		await offer(person).waitFor();
		const then = hashFolder(person.vault);
		await person.button("Leave as is").click();
		await offer(person).waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(then);
		await person.restart();
		await person.panel.getByText("Bullets to notes").first().waitFor(); // what the core knows is there
		expect(await offer(person).count()).toBe(0);
	});

	test("a note that was half written is put right", async () => {
		const person = await seat();
		const { faults } = person.playground;
		const before = hashFolder(person.vault);
		await person.askForNotes();
		const { generation } = faults;
		faults.set({ torn: { nth: 4, bytes: 5, path: "Projects/XYZ/" } });
		await person.button("Approve").click();
		await eventually(() => faults.generation).toBeGreaterThan(generation);
		await person.restart();
		await offer(person).waitFor();
		await person.button("Undo").click();
		await offer(person).waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("the page is loaded again while the run goes: nothing is lost of what can be taken back", async () => {
		const person = await seat();
		const { faults } = person.playground;
		const before = hashFolder(person.vault);
		await person.askForNotes();
		faults.set({ latencyMs: 60 });
		await person.button("Approve").click();
		await eventually(() => person.list("Projects/XYZ").length).toBeGreaterThan(1);
		faults.kill();
		await person.restart();
		await offer(person).waitFor();
		await person.button("Undo").click();
		await offer(person).waitFor({ state: "detached" });
		expect(hashFolder(person.vault)).toEqual(before);
	});
});

test("the core dies in the middle of a run: it is started anew, says so, and offers the unfinished run", async () => {
	const person = await seat();
	const { faults } = person.playground;
	const before = hashFolder(person.vault);
	await person.askForNotes();
	faults.set({ latencyMs: 60 });
	await person.button("Approve").click();
	await eventually(() => person.list("Projects/XYZ").length).toBeGreaterThan(1);
	const core = person.page.workers().find((worker) => worker.url().startsWith("blob:"));
	if (!core) throw new Error("The core runs in no worker.");
	await core.evaluate(
		() =>
			void setTimeout(() => {
				throw new Error("a defect");
			}),
	);
	await person.page.getByText("The plugin stopped unexpectedly and was restarted.").waitFor();
	faults.clear();
	await offer(person).waitFor();
	await person.button("Undo").click();
	await offer(person).waitFor({ state: "detached" });
	expect(hashFolder(person.vault)).toEqual(before);
	const others = person.playground.errors.filter((error) => !/the core died|a defect/.test(error));
	expect(others).toEqual([]);
});
