// The ribbon's icons for saved actions, kept in step with them.

import type { PaletteEntry } from "./data";

/** Draws an icon into the ribbon; returns a way to take it out. */
export type AddIcon = (entry: PaletteEntry) => () => void;

/** Icons of saved actions: what is shown, by action id. */
export class ActionRibbon {
	private shown = new Map<string, { looks: string; remove: () => void }>();

	constructor(private readonly add: AddIcon) {}

	/** Shows what is new or looks different, takes out what is gone. Returns whether anything differed. */
	follow(actions: readonly PaletteEntry[]): boolean {
		const wanted = new Map(actions.filter((a) => a.ribbon).map((a) => [a.id, a]));
		let changed = false;
		for (const [id, icon] of this.shown) {
			const now = wanted.get(id);
			if (now && looksOf(now) === icon.looks) continue;
			icon.remove();
			this.shown.delete(id);
			changed = true;
		}
		for (const [id, action] of wanted) {
			if (this.shown.has(id)) continue;
			this.shown.set(id, { looks: looksOf(action), remove: this.add(action) });
			changed = true;
		}
		return changed;
	}
}

function looksOf({ name, icon }: PaletteEntry): string {
	return `${icon ?? ""}\n${name}`;
}
