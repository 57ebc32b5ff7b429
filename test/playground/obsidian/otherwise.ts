/**
 * Where nobody has read how the app behaves, the plugin must work whichever way it is: `?otherwise=` in the page's
 * address names lines of `behaviours.ts` (or `all`), and the playground then behaves the other way.
 */
import { behaviours } from "../behaviours";

const chosen = new Set<string>();
const open = () => behaviours.filter(({ otherwise }) => otherwise !== undefined).map(({ id }) => id);

/** Makes the playground behave otherwise in what the list names, separated by commas. */
export function behaveOtherwise(list: string): void {
	const named = list === "all" ? open() : list.split(",").filter((id) => id !== "");
	for (const id of named) {
		if (!open().includes(id)) throw new Error(`There is no other way known for ${id}.`);
		chosen.add(id);
	}
}

/** Says whether the playground behaves the other way in a line of the table. */
export function otherwise(id: string): boolean {
	return chosen.has(id);
}

/** How long what comes late is late, in ms. */
export const late = 300;
