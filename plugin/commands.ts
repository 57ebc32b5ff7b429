// The palette's entries for saved actions, kept in step with them.

import type { PaletteEntry } from "./data";

/** The part of the plugin that commands are registered with. */
export interface Palette {
	add(entry: PaletteEntry): void;
	remove(id: string): void;
}

/** Commands of saved actions: what is registered, by action id. */
export class ActionCommands {
	private registered = new Map<string, string>();

	constructor(private readonly palette: Palette) {}

	/** Registers what is new or renamed, removes what is gone. Returns whether anything differed. */
	follow(actions: readonly PaletteEntry[]): boolean {
		const wanted = new Map(actions.map(({ id, name }) => [id, name]));
		let changed = false;
		for (const [id, name] of this.registered) {
			if (wanted.get(id) === name) continue;
			this.palette.remove(id);
			this.registered.delete(id);
			changed = true;
		}
		for (const [id, name] of wanted) {
			if (this.registered.has(id)) continue;
			this.palette.add({ id, name });
			this.registered.set(id, name);
			changed = true;
		}
		return changed;
	}
}
