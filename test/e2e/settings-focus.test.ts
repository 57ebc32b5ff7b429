/** The settings by keyboard: what is drawn anew leaves the keyboard where it was, or at the entry beside. */
import { afterAll, onTestFinished, test } from "vitest";
import { eventually, leave, sitDown, type Person } from "./person";
import { data, openPage, openSettings } from "./settings-page";

afterAll(leave);

async function seat(settings: Record<string, unknown> = {}): Promise<Person> {
	const person = await sitDown({ settings });
	onTestFinished(() => person.standUp());
	return person;
}

/** What has the keyboard: the name of its row, and its own, or what is written in it. */
const keyboard = (person: Person) =>
	person.page.evaluate(() => {
		const el = document.activeElement;
		const row = el?.closest(".setting-item")?.querySelector(".setting-item-name")?.textContent ?? "";
		return `${row}: ${el?.getAttribute("aria-label") ?? el?.getAttribute("placeholder") ?? el?.textContent ?? ""}`;
	});

test("another provider is chosen again and again, with one hand on the arrow keys", async () => {
	const person = await seat();
	const dialog = await openSettings(person);
	const preset = dialog.getByRole("combobox", { name: "Provider" });
	await preset.focus();
	for (const [label, address] of [
		["Ollama, on this machine", "http://127.0.0.1:11434/api/chat"],
		["Custom endpoint", ""],
		["OpenAI", ""],
	] as const) {
		const before = data(person);
		await preset.selectOption({ label });
		await eventually(() => data(person)).not.toEqual(before);
		// Drawn anew by then: what it asks for follows the provider.
		await eventually(() => dialog.getByRole("textbox", { name: "Base URL" }).inputValue()).toBe(address);
		// Eventually: it may be drawn once more for the choice before, between finding it and asking it.
		await eventually(() => preset.evaluate((el) => el === document.activeElement)).toBe(true);
	}
});

test("a test of the connection gives the keyboard back to its button", async () => {
	const person = await seat();
	const dialog = await openSettings(person);
	const button = dialog.getByRole("button", { name: "Test", exact: true });
	await button.press("Enter");
	await dialog.getByText(/answers with the model demo/).waitFor();
	await eventually(() => button.evaluate((el) => el === document.activeElement)).toBe(true);
});

test("folders are deleted one after the other: the keyboard is at the next, the last, and then at what adds one", async () => {
	const person = await seat({ allowedRoots: ["Inbox", "Notes", "Projects"] });
	const dialog = await openSettings(person);
	await dialog
		.locator(".setting-item", { hasText: /^Notes$/ })
		.getByRole("button", { name: "Delete" })
		.focus();
	for (const [left, at] of [
		[["Inbox", "Projects"], "Projects: Delete"],
		[["Inbox"], "Inbox: Delete"],
		[[], "Folders the agent may read and write: Add a folder"],
	] as const) {
		await person.page.keyboard.press("Enter");
		await eventually(() => data(person)["allowedRoots"]).toEqual(left);
		await eventually(() => keyboard(person)).toBe(at);
	}
	await person.page.keyboard.press("Enter");
	await person.page.getByPlaceholder("Add a folder").fill("Archive");
	await person.page.keyboard.press("Enter");
	await eventually(() => data(person)["allowedRoots"]).toEqual(["Archive"]);
	await eventually(() => keyboard(person)).toBe("Folders the agent may read and write: Add a folder");
});

const key = (name: string) => ({ name, scope: "device", secret: "", hosts: [] });

test.each([
	{
		page: "Tool keys",
		settings: { secrets: ["one", "two", "three"].map(key) },
		add: "Add a key",
		field: "Name that tools use",
	},
	{
		page: "Web hosts",
		settings: {
			allowHttp: true,
			httpHosts: ["one", "two", "three"].map((host) => ({ host, methods: ["GET"] })),
		},
		add: "Add a host",
		field: "api.example.com",
	},
])("$page are deleted and added by keyboard alone", async ({ page, settings, add, field }) => {
	const person = await seat(settings);
	const dialog = await openPage(person, page);
	await dialog.getByRole("button", { name: /^Delete.*two/ }).focus();
	for (const at of [/^three: Delete/, /^one: Delete/, new RegExp(`: ${add}$`)]) {
		await person.page.keyboard.press("Enter");
		await eventually(() => keyboard(person)).toMatch(at);
	}
	await person.page.keyboard.press("Enter");
	await eventually(() => keyboard(person)).toMatch(new RegExp(`: ${field}$`));
});
