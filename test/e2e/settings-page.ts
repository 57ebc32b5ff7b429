/** The settings page, as a person uses it: controls by their names, and what is kept of them. */
import type { Locator } from "playwright-core";
import { eventually, pluginFolder, type Person } from "./person";

/** What a control is given: a switch, a number, or a text (a line, lines, or an entry of a list). */
export type Value = boolean | number | string;

/** The text of data.json. */
export const dataText = (person: Person) => person.read(`${pluginFolder}/data.json`);

/** What data.json holds. */
export const data = (person: Person) => JSON.parse(dataText(person)) as Record<string, unknown>;

/** Opens the settings at the plugin. */
export async function openSettings(person: Person): Promise<Locator> {
	// A problem that the settings can mend has a button to them too.
	await person.button("Open settings").first().click();
	const dialog = person.page.getByRole("dialog", { name: "Settings" });
	await dialog.getByText("Ask before a run").waitFor();
	return dialog;
}

/** Closes them. */
export async function closeSettings(person: Person): Promise<void> {
	const dialog = person.page.getByRole("dialog", { name: "Settings" });
	await dialog.getByRole("button", { name: "Close", exact: true }).click();
	await dialog.waitFor({ state: "detached" });
}

/** Opens a page of the settings by its entry. */
export async function openPage(person: Person, name: string): Promise<Locator> {
	const dialog = await openSettings(person);
	await dialog.getByRole("button", { name: new RegExp(`^${name}`) }).click();
	return dialog;
}

/** Opens the settings, gives controls other values, one after the other, waits until each is kept, and closes them. */
export async function choose(person: Person, values: Record<string, Value>): Promise<void> {
	const dialog = await openSettings(person);
	for (const [name, value] of Object.entries(values)) {
		const before = dataText(person);
		await give(dialog, name, value);
		await eventually(() => dataText(person)).not.toBe(before);
	}
	await closeSettings(person);
}

async function give(dialog: Locator, name: string, value: Value): Promise<void> {
	switch (typeof value) {
		case "boolean":
			return dialog.getByRole("switch", { name, exact: true }).setChecked(value, { force: true });
		case "number":
			return dialog.getByRole("spinbutton", { name, exact: true }).fill(String(value));
		default: {
			const list = dialog.getByRole("combobox", { name, exact: true });
			if (await list.count()) await list.selectOption({ label: value });
			else await dialog.getByRole("textbox", { name, exact: true }).fill(value);
		}
	}
}
