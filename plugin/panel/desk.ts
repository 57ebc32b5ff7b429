// What the panel needs of the app besides drawing: its own pickers, its list of
// community plugins, and the plugin's settings. plugin/desk.ts implements it.

import type { Problem, Settings } from "../protocol";

/** One of the things to pick from. */
export interface Choice {
	value: string;
	label: string;
	/** A lucide icon. */
	icon?: string;
}

/** The app's pickers and the plugin's settings. */
export interface Desk {
	/** Lets the person pick one, in the app's own suggester; nothing happens when none is picked. */
	choose(hint: string, choices: readonly Choice[], chosen: (value: string) => void): void;
	/** The names of every icon that the app can draw. */
	iconNames(): readonly string[];
	/** Opens the app's own list of community plugins. Nothing is installed. */
	openCommunityPlugins(): void;
	/** What the person has chosen in the settings. */
	settings(): Settings;
	/** Keeps a change of the settings, unless the core refuses it: then its reason. */
	changeSettings(fields: Partial<Settings>): Promise<Problem | null>;
}
