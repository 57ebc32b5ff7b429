// The one port to the app: all that the panel needs of the app that it lives in,
// so that no component knows the app. app/obsidian.ts implements it.

import type { Problem, Settings } from "../protocol";

/** Text that the person has selected in a note. */
export interface Selected {
	path: string;
	text: string;
}

/** One of the things to pick from. */
export interface Choice {
	value: string;
	label: string;
	/** A lucide icon. */
	icon?: string;
}

/** One entry of a menu. */
export interface MenuEntry {
	title: string;
	icon: string;
	/** Shown as something to be careful with. */
	warning?: boolean;
	run: () => void;
}

/** The app around the panel. */
export interface AppPort {
	/** Whether the app runs on a phone or tablet. */
	readonly mobile: boolean;
	/** Draws a lucide icon into an element. */
	icon(el: HTMLElement, name: string): void;
	/** The names of every icon that the app can draw. */
	iconNames(): readonly string[];

	/** Opens a note of the vault. */
	open(path: string, newPane: boolean): void;
	/** Opens a note at a line, from 1 (0: as it was left), if it is there; makes no note. */
	show(path: string, line: number, newPane: boolean): boolean;
	/** Opens what a link in a text leads to, if it is there; makes no note. */
	follow(link: string, newPane: boolean): boolean;
	/** Opens a page of the web outside of the app, or follows a link of the app. */
	browse(address: string): void;
	/** Shows the open review in a tab of its own. */
	openReview(): void;
	/** Closes the tabs that show the review. */
	closeReview(): void;
	/** Opens the plugin's page in the settings. */
	openSettings(): void;
	/** Opens the app's own list of community plugins. Nothing is installed. */
	openCommunityPlugins(): void;

	/** Shows a menu at the pointer, or below the element for the keyboard. */
	menu(event: MouseEvent, entries: MenuEntry[]): void;
	/** Lets the person pick one, in the app's own suggester; nothing happens when none is picked. */
	choose(hint: string, choices: readonly Choice[], chosen: (value: string) => void): void;
	/** Turns a text field into one that suggests folders or notes. */
	suggest(input: HTMLInputElement, kind: "folder" | "note"): void;
	notice(text: string): void;
	/** Puts a text on the clipboard, and the same as rich text where the app can. */
	copy(text: string, html?: string): Promise<void>;
	/** Offers a text as a file to keep outside of the vault. */
	download(name: string, text: string): void;

	/** The path of the note that was last used, or "". */
	active(): string;
	/** The selection in the note that was last used, or null. */
	selection(): Selected | null;
	/** Calls back when the selection or the active note may have changed. */
	watchSelection(changed: () => void): () => void;
	/**
	 * Writes into the note that was last used, by its editor, whose undo takes it back. Whether
	 * it could: with a path, only where that is this note.
	 */
	write(text: string, where: "cursor" | "selection", path?: string): boolean;

	/** Things of the vault that fit what is typed; null when a newer search has begun. */
	find(text: string): Promise<Named[] | null>;
	/** The things of the vault that a dragged or pasted text names: links and addresses of the app. */
	namedBy(text: string): Named[];
	/** An address to show an image of the vault by. */
	imageUrl(path: string): string;

	/** This device's note about the panel under a name; "" for none. */
	remembered(what: Remembered): string;
	remember(what: Remembered, text: string): void;
	/** The person's settings that only the panel needs. */
	preferences(): Preferences;
	/** The person's settings, as the core is told them. */
	settings(): Settings;
	/** Keeps a change of the settings, unless the core refuses it: then its reason. */
	changeSettings(fields: Partial<Settings>): Promise<Problem | null>;
}

/** Notes from one start to the next, on this device. */
export type Remembered = "draft" | "mode" | "model" | "conversation";

/** Settings that only the panel needs. */
export interface Preferences {
	provider: string;
	/** The model of the settings. */
	model: string;
	/** Enter breaks the line, and Shift+Enter runs. */
	enterBreaks: boolean;
}

/** Something of the vault that goes along with a message. */
export interface Named {
	kind: "note" | "folder" | "tag" | "heading" | "image";
	/** "" for a tag. */
	path: string;
	/** The tag (with "#") or the heading; "" for the others. */
	name: string;
}
