// What the panel needs of the app it lives in, so that no component knows the
// app. plugin/shell.ts implements it with Obsidian.

/** Text that the person has selected in a note. */
export interface Selected {
	path: string;
	text: string;
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
export interface Shell {
	/** Whether the app runs on a phone or tablet. */
	readonly mobile: boolean;
	/** Draws a lucide icon into an element. */
	icon(el: HTMLElement, name: string): void;
	/** Opens a note of the vault. */
	open(path: string, newPane: boolean): void;
	/** Opens what a link in a text leads to, if it is there; makes no note. */
	follow(link: string, newPane: boolean): boolean;
	/** Opens a page of the web outside of the app, or follows a link of the app. */
	browse(address: string): void;
	openSettings(): void;
	/** Shows a menu at the pointer, or below the element for the keyboard. */
	menu(event: MouseEvent, entries: MenuEntry[]): void;
	notice(text: string): void;
	copy(text: string): Promise<void>;
	/** Offers a text as a file to keep outside of the vault. */
	download(name: string, text: string): void;
	/** What is selected in the note that was last used, or null. */
	selection(): Selected | null;
	/** Calls back when the selection or the active note may have changed. */
	watchSelection(changed: () => void): () => void;
	/** Turns a text field into one that suggests folders or notes. */
	suggest(input: HTMLInputElement, kind: "folder" | "note"): void;
	/** What this device remembers of the panel under a name; "" for nothing. */
	remembered(what: Remembered): string;
	remember(what: Remembered, text: string): void;
	/** What the person has chosen in the settings. */
	preferences(): Preferences;
	/** The path of the note that was last used, or "". */
	active(): string;
	/** Things of the vault that fit what is typed; null when a newer search has begun. */
	find(text: string): Promise<Named[] | null>;
	/** The things of the vault that a dragged or pasted text names: links and addresses of the app. */
	namedBy(text: string): Named[];
	/** An address to show an image of the vault by. */
	imageUrl(path: string): string;
	/** Writes into the note that was last used, by its editor, whose undo takes it back. Whether it could. */
	write(text: string, where: "cursor" | "selection"): boolean;
}

/** What is remembered from one start to the next, on this device. */
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
