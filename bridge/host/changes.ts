// The changes in the vault, for a core that keeps a list of its files.
import { TFolder, type App, type Plugin, type TAbstractFile } from "obsidian";
import type { Host } from "../client";
import { fail } from "../problem";
import type { Changed } from "../protocol.gen";
import { openNotes } from "./open-notes";
import { find, infoOf, type Hears } from "./paths";

/** How many paths are remembered; who has missed more is told everything. */
const LOG = 5_000;
/** Entries of an answer: the app does not respond while one is written. */
const PAGE = 1_000;
/** Listings under way at once. */
const LISTINGS = 2;

/** The changes. The app's events are listened to from the first question on. */
export function changesHost(plugin: Plugin, hear: Hears[]): Pick<Host, "vault.since"> {
	let changes: Changes | undefined;
	return {
		"vault.since": async ({ generation, page }) =>
			(changes ??= new Changes(plugin, hear)).since(generation, page),
	};
}

class Changes {
	#app: App;
	#generation = 1;
	/** The oldest generation whose changes are all in the log. */
	#floor = 1;
	/** When each path changed last, oldest first. */
	#log = new Map<string, number>();
	#listings = new Map<number, TAbstractFile[]>();
	#lastPage = 0;

	constructor(plugin: Plugin, hear: Hears[]) {
		hear.push((path, folder) => this.#gone(path, folder));
		const { vault } = (this.#app = plugin.app);
		const touched = (entry: TAbstractFile) => this.#note(entry.path);
		plugin.registerEvent(vault.on("create", touched));
		plugin.registerEvent(vault.on("modify", touched));
		plugin.registerEvent(vault.on("delete", (entry) => this.#gone(entry.path, entry instanceof TFolder)));
		plugin.registerEvent(
			vault.on("rename", (entry, old) => {
				this.#gone(old, entry instanceof TFolder);
				touched(entry);
			}),
		);
	}

	since(generation: number, page: number): Changed {
		if (page !== 0) return this.#page(page);
		// Before the layout is ready, the app is still finding its files.
		const follows = this.#app.workspace.layoutReady;
		if (!follows || generation < this.#floor) {
			this.#listings.set(++this.#lastPage, this.#app.vault.getAllLoadedFiles());
			if (this.#listings.size > LISTINGS) this.#listings.delete([...this.#listings.keys()][0] as number);
			return { ...this.#page(this.#lastPage), generation: follows ? this.#generation : 0 };
		}
		const paths: string[] = [];
		if (generation < this.#generation)
			for (const [path, at] of this.#log) if (at > generation) paths.push(path);
		const there = paths.map((path) => find(this.#app.vault, path));
		const present = there.filter((entry) => entry !== null);
		return {
			...this.#answer(0, present),
			all: false,
			removed: paths.filter((_, i) => there[i] === null),
		};
	}

	/** The next entries of a listing; what is left of it has another number. */
	#page(page: number): Changed {
		const rest = this.#listings.get(page);
		if (!rest) throw fail("CONFLICT", "error.internal");
		this.#listings.delete(page);
		if (rest.length > PAGE) this.#listings.set(++this.#lastPage, rest.slice(PAGE));
		return this.#answer(rest.length > PAGE ? this.#lastPage : 0, rest.slice(0, PAGE));
	}

	#answer(page: number, entries: TAbstractFile[]): Changed {
		const changed = entries.map(infoOf).filter(({ path }) => path !== "");
		return {
			generation: this.#generation,
			all: true,
			page,
			open: openNotes(this.#app),
			removed: [],
			changed,
		};
	}

	#note(path: string): void {
		this.#log.delete(path);
		this.#log.set(path, ++this.#generation);
		if (this.#log.size <= LOG) return;
		const [oldest] = this.#log;
		this.#log.delete((oldest as [string, number])[0]);
		this.#floor = (oldest as [string, number])[1];
	}

	/** A path where something else is now, or nothing. What was in a folder may not be told of one by one. */
	#gone(path: string, folder: boolean): void {
		this.#note(path);
		if (folder) this.#floor = this.#generation;
	}
}
