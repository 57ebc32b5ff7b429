import type { Choice, Desk } from "../desk";

/** Every icon of the app, to pick one from. */
export function iconChoices(desk: Desk): Choice[] {
	return desk.iconNames().map((name) => ({ value: name, label: name, icon: name }));
}
