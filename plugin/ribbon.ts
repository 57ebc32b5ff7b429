// The ribbon's icons for saved actions, kept in step with them.

import type { Plugin } from "obsidian";
import type { PaletteEntry } from "./data";

/** Draws an icon into the ribbon; returns a way to take it out. */
export type AddIcon = (entry: PaletteEntry) => () => void;

/**
 * Takes an icon of the plugin out of the ribbon. The app keeps a list of icons, from which it draws the ribbon again and
 * the menu on phones: an icon whose element alone is removed comes back. Its name for an icon is made of the title.
 */
export function removeRibbonIcon({ app, manifest }: Plugin, title: string, el: HTMLElement): void {
	// Not in the app's public interface.
	const ribbon = app.workspace.leftRibbon as { removeRibbonAction?: (id: string) => void };
	if (typeof ribbon.removeRibbonAction === "function") ribbon.removeRibbonAction(`${manifest.id}:${title}`);
	el.remove();
}

/** Icons of saved actions: what is shown, by action id. */
export class ActionRibbon {
	private shown = new Map<string, { name: string; looks: string; remove: () => void }>();

	constructor(private readonly add: AddIcon) {}

	/** Shows what is new or looks different, takes out what is gone. Returns whether anything differed. */
	follow(actions: readonly PaletteEntry[]): boolean {
		const wanted = new Map(actions.filter((a) => a.ribbon).map((a) => [a.id, a]));
		const stays = (id: string, looks: string) => {
			const now = wanted.get(id);
			return now !== undefined && looksOf(now) === looks;
		};
		// The app knows an icon by its name: whoever has the same one goes with it, and comes back.
		const going = [...this.shown].filter(([id, { looks }]) => !stays(id, looks)).map(([, { name }]) => name);
		let changed = false;
		for (const [id, icon] of this.shown) {
			if (!going.includes(icon.name)) continue;
			icon.remove();
			this.shown.delete(id);
			changed = true;
		}
		for (const [id, action] of wanted) {
			if (this.shown.has(id)) continue;
			this.shown.set(id, { name: action.name, looks: looksOf(action), remove: this.add(action) });
			changed = true;
		}
		return changed;
	}
}

function looksOf({ name, icon }: PaletteEntry): string {
	return `${icon ?? ""}\n${name}`;
}
