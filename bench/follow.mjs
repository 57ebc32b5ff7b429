// What a host tells a core that keeps a list of its files: changes, reads in
// bulk, and a metadata cache. As in the app, the files are known from a tree in
// memory, which is read once and kept by the host's own writes.
import { promises as fs, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const PAGE = 1_000;

/** The tree of a folder, with what has changed in it. */
export class Followed {
	#folder;
	#entries;
	#log = new Map();
	#generation = 1;
	#pages = new Map();
	#lastPage = 0;

	constructor(folder) {
		this.#folder = folder;
	}

	/** All entries, by path. */
	entries() {
		if (!this.#entries) {
			this.#entries = new Map();
			this.#walk("");
		}
		return this.#entries;
	}

	/** Takes in a write of the host's own: `info` is the entry as it is then. */
	applied(op, info) {
		if (!this.#entries) return;
		if (op.kind === "rename" || (op.kind === "trash" && !op.before)) return this.refresh();
		if (info.path === "") this.#entries.delete(op.path);
		else this.#entries.set(op.path, info);
		this.#note(op.path);
	}

	/** Reads the folder anew, after changes by others. */
	refresh() {
		const before = this.#entries ?? new Map();
		this.#entries = undefined;
		const now = this.entries();
		for (const path of before.keys()) if (!now.has(path)) this.#note(path);
		for (const [path, info] of now) {
			const old = before.get(path);
			if (!old || old.mtime !== info.mtime || old.size !== info.size) this.#note(path);
		}
	}

	/** As vault.since. */
	since(generation, page) {
		if (page !== 0) return this.#page(page);
		if (generation === 0) {
			this.#pages.set(++this.#lastPage, [...this.entries().values()]);
			return this.#page(this.#lastPage);
		}
		const paths = [];
		if (generation < this.#generation)
			for (const [path, at] of this.#log) if (at > generation) paths.push(path);
		const there = paths.map((path) => this.entries().get(path));
		return {
			...this.#answer(0, there.filter(Boolean)),
			all: false,
			removed: paths.filter((_, i) => !there[i]),
		};
	}

	#page(page) {
		const rest = this.#pages.get(page);
		this.#pages.delete(page);
		if (rest.length > PAGE) this.#pages.set(++this.#lastPage, rest.slice(PAGE));
		return this.#answer(rest.length > PAGE ? this.#lastPage : 0, rest.slice(0, PAGE));
	}

	#answer(page, changed) {
		return { generation: this.#generation, all: true, page, open: [], removed: [], changed };
	}

	#note(path) {
		this.#log.delete(path);
		this.#log.set(path, ++this.#generation);
	}

	#walk(folder) {
		for (const entry of readdirSync(join(this.#folder, folder), { withFileTypes: true })) {
			if (entry.name.startsWith(".")) continue;
			const path = folder ? `${folder}/${entry.name}` : entry.name;
			this.#entries.set(path, this.#info(path));
			if (entry.isDirectory()) this.#walk(path);
		}
	}

	#info(path) {
		const s = statSync(join(this.#folder, path), { throwIfNoEntry: false });
		if (!s) return undefined;
		if (s.isDirectory()) return { path, kind: "folder", size: 0, ctime: 0, mtime: 0 };
		return { path, kind: "file", size: s.size, ctime: Math.trunc(s.ctimeMs), mtime: Math.trunc(s.mtimeMs) };
	}
}

/** The host's methods over it. The cache knows no note: the core reads them. */
export function followHost(folder, followed) {
	return {
		"vault.since": async ({ generation, page }) => followed.since(generation, page),
		"vault.reads": async ({ paths }) => {
			const parts = await Promise.all(
				paths.map((path) => fs.readFile(join(folder, path)).catch(() => undefined)),
			);
			const bytes = new Uint8Array(parts.reduce((sum, part) => sum + (part?.length ?? 0), 0));
			let at = 0;
			for (const part of parts) {
				if (part) bytes.set(part, at);
				at += part?.length ?? 0;
			}
			return (blob) => ({ sizes: parts.map((part) => part?.length ?? -1), unsaved: [], blob: blob(bytes) });
		},
		"vault.metadata": async ({ paths }) => ({
			files: paths.map((path) => ({ path, size: 0, mtime: 0, stale: true })),
		}),
	};
}
