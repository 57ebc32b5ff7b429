// The things that a message can name: notes, folders, images, tags and headings, out
// of the app's own index and metadata cache. Nothing is read from disk.

import { TFile, TFolder, type App, type Plugin, type TAbstractFile } from "obsidian";
import { entry, fold, Narrowing, type Entry } from "../text/fuzzy";
import type { Named } from "./port";

/** How many names are offered. */
const most = 12;
/** Milliseconds of work on the index before other things have their turn. */
const slice = 6;
/** Milliseconds for which the list of all tags is good. */
const tagsKeep = 10_000;

const images = new Set(["png", "jpg", "jpeg", "gif", "webp"]);

const turns = {
	now: () => performance.now(),
	pause: () => new Promise<void>((resolve) => window.setTimeout(resolve)),
};

/** Finds names while they are typed. It is made ready at the first use, in slices. */
export class Finder {
	private narrowing: Promise<Narrowing> | null = null;
	private tags: { at: number; names: string[] } | null = null;
	private latest = 0;
	private watching = false;
	private readonly app: App;

	constructor(private readonly plugin: Plugin) {
		this.app = plugin.app;
	}

	/** The things that fit, best first; null when a newer search has begun. "a#b" is a heading of a note a, "#b" a tag or a heading here. */
	async find(text: string): Promise<Named[] | null> {
		const mine = ++this.latest;
		const hash = text.indexOf("#");
		const found =
			text.trim() === "" ? this.recent() : hash >= 0 ? await this.below(text, hash) : await this.names(text);
		return mine === this.latest ? found : null;
	}

	private recent(): Named[] {
		const { vault, workspace } = this.app;
		const files = workspace.getLastOpenFiles().map((path) => vault.getFileByPath(path));
		return files.flatMap((file) => (file ? (named(file) ?? []) : [])).slice(0, most);
	}

	private async names(text: string): Promise<Named[] | null> {
		const found = await (await this.index()).find(text, most);
		return found && found.map(({ kind, path }) => ({ kind, path, name: "" }));
	}

	private async below(text: string, hash: number): Promise<Named[] | null> {
		const wanted = fold(text.slice(hash + 1).trim());
		const note = text.slice(0, hash).trim();
		if (note === "") {
			const here = this.app.workspace.getActiveFile();
			return [...this.tagsLike(wanted), ...(here ? this.headings(here, wanted) : [])].slice(0, most);
		}
		const notes = await (await this.index()).find(note, 3);
		return notes && notes.flatMap((e) => this.headingsAt(e, wanted)).slice(0, most);
	}

	private headingsAt(e: Entry, wanted: string): Named[] {
		const file = e.kind === "note" ? this.app.vault.getFileByPath(e.path) : null;
		return file ? this.headings(file, wanted) : [];
	}

	private headings(file: TFile, wanted: string): Named[] {
		const headings = this.app.metadataCache.getFileCache(file)?.headings ?? [];
		return headings
			.filter(({ heading }) => fold(heading).includes(wanted))
			.map(({ heading }) => ({ kind: "heading", path: file.path, name: heading }));
	}

	private tagsLike(wanted: string): Named[] {
		return this.allTags()
			.filter((tag) => fold(tag).includes(wanted))
			.slice(0, most)
			.map((name) => ({ kind: "tag", path: "", name }));
	}

	/** All tags, the most used first. The app counts them through all of its cache, so the answer is kept for a while. */
	private allTags(): string[] {
		const now = Date.now();
		if (this.tags && now - this.tags.at < tagsKeep) return this.tags.names;
		// Not in the public typings; without it no tag is offered.
		const cache = this.app.metadataCache as { getTags?(): Record<string, number> };
		const counts = cache.getTags?.() ?? {};
		const names = Object.entries(counts)
			.sort(([, a], [, b]) => b - a)
			.map(([tag]) => tag);
		this.tags = { at: now, names };
		return names;
	}

	private index(): Promise<Narrowing> {
		if (this.narrowing) return this.narrowing;
		const { vault } = this.app;
		const stale = () => (this.narrowing = null);
		const made = this.build();
		this.narrowing = made;
		if (!this.watching) {
			this.watching = true;
			this.plugin.registerEvent(vault.on("create", stale));
			this.plugin.registerEvent(vault.on("delete", stale));
			this.plugin.registerEvent(vault.on("rename", stale));
		}
		return made;
	}

	private async build(): Promise<Narrowing> {
		const entries: Entry[] = [];
		let until = turns.now() + slice;
		for (const file of this.app.vault.getAllLoadedFiles()) {
			const what = named(file);
			if (what && what.kind !== "tag" && what.kind !== "heading") entries.push(entry(what.kind, what.path));
			if (turns.now() < until) continue;
			await turns.pause();
			until = turns.now() + slice;
		}
		return new Narrowing(entries, turns);
	}
}

/** A file or folder as it is named; null for what no message can name. */
export function named(file: TAbstractFile): Named | null {
	if (file instanceof TFolder) return file.isRoot() ? null : { kind: "folder", path: file.path, name: "" };
	if (!(file instanceof TFile)) return null;
	if (file.extension === "md") return { kind: "note", path: file.path, name: "" };
	return images.has(file.extension.toLowerCase()) ? { kind: "image", path: file.path, name: "" } : null;
}

/**
 * The things that a dragged or pasted text names: wiki links and the app's own
 * addresses, one or more to a line, and nothing else. None for any other text.
 */
export function namedBy(app: App, text: string): Named[] {
	const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
	if (lines.length === 0 || lines.length > 100) return [];
	const found = lines.map((line) => fileOf(app, line.trim()));
	return found.every((f): f is Named => f !== null) ? found : [];
}

function fileOf(app: App, line: string): Named | null {
	const link = /^!?\[\[([^\][|#]+)(?:#([^\][|]+))?(?:\|[^\][]*)?\]\]$/.exec(line);
	if (link) {
		const file = app.metadataCache.getFirstLinkpathDest(link[1] ?? "", "");
		const what = file && named(file);
		return what && link[2] && what.kind === "note" ? { ...what, kind: "heading", name: link[2] } : what;
	}
	if (!line.startsWith("obsidian://open?")) return null;
	const params = new URL(line).searchParams;
	const path = params.get("file") ?? "";
	if (params.get("vault") !== app.vault.getName()) return null;
	const file = app.vault.getAbstractFileByPath(path) ?? app.vault.getAbstractFileByPath(`${path}.md`);
	return file && named(file);
}
