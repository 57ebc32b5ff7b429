// The app's pickers and settings, for the development page: it remembers what it
// was asked for, and a test picks.

import { coreSettings, firstRun } from "../data";
import type { Choice, Desk } from "../panel/desk";
import type { Problem, Settings } from "../protocol";

export class DevDesk implements Desk {
	/** What was last offered. */
	offered: readonly Choice[] = [];
	/** How often the app's list of plugins was opened. */
	opened = 0;
	private kept = coreSettings(firstRun);
	private chosen: (value: string) => void = () => undefined;

	choose(_hint: string, choices: readonly Choice[], chosen: (value: string) => void): void {
		this.offered = choices;
		this.chosen = chosen;
	}

	/** Picks one of what was offered. */
	pick(value: string): void {
		if (!this.offered.some((c) => c.value === value)) throw new Error(`${value} is not offered`);
		this.chosen(value);
	}

	iconNames(): readonly string[] {
		return ["play", "list", "folder"];
	}

	openCommunityPlugins(): void {
		this.opened++;
	}

	settings(): Settings {
		return this.kept;
	}

	/** What the core refuses the next change with. */
	refuse: Problem | null = null;

	changeSettings(fields: Partial<Settings>): Promise<Problem | null> {
		if (!this.refuse) this.kept = { ...this.kept, ...fields };
		return Promise.resolve(this.refuse);
	}
}
