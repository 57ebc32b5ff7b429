import type { AppPort, Choice } from "../../app/port";

/** Every icon of the app, to pick one from. */
export function iconChoices(app: AppPort): Choice[] {
	return app.iconNames().map((name) => ({ value: name, label: name, icon: name }));
}
