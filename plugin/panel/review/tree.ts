// The files of a review in the order in which they are read: what is deleted, what
// is renamed, and the rest, each as a tree of folders.

import { order } from "../../../i18n";
import type { FileChange } from "../../protocol";

/** What happens to a file, as a person filters by it. */
export type Kind = "delete" | "rename" | "create" | "modify" | "links" | "folder";

/** The kinds, in the order in which they are offered. */
export const kinds: readonly Kind[] = ["delete", "rename", "create", "modify", "links", "folder"];

/** The parts of the list, in their order. */
export type Part = "delete" | "rename" | "rest";

/** A line above files: a folder, a part of the list (path is ""), or the notes whose links follow a rename. */
export interface Head {
	part: Part;
	/** The folder; "" for a part. */
	path: string;
	/** The folder's name, with those of folders that have nothing else in them. */
	name: string;
	/** All changes below it, its own among them. */
	changes: FileChange[];
	/** The change of the folder itself. */
	own: FileChange | null;
	/** Below a rename: these are the notes in which links follow it. */
	follows?: boolean;
}

/** A line of the list: a file, or a head. */
export type Line = { id: string; level: number } & (
	{ file: FileChange; head?: undefined } | { head: Head; file?: undefined }
);

/** Whether a line is folded, as long as nobody has turned it round: links that follow are many, and alike. */
export const foldedAtFirst = (id: string): boolean => id.startsWith("links:");

/** Whether a line is a note that stands below the rename that links in it follow. */
export const follows = ({ id }: Line): boolean => id.startsWith("follows:");

/** Whether a change is one of a folder, not of a file. */
export const isFolder = ({ status }: FileChange): boolean => status === "mkdir" || status === "rmdir";

/** The kind of a change. */
export function kindOf(file: FileChange): Kind {
	if (isFolder(file)) return "folder";
	if (file.linksOnly) return "links";
	return file.status === "trash" ? "delete" : (file.status as Kind);
}

function partOf({ status }: FileChange): Part {
	if (status === "trash" || status === "rmdir") return "delete";
	return status === "rename" ? "rename" : "rest";
}

/** Sorts by name as people do: Note 2 before Note 10. */
function byName<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
	const compare = order();
	const named = items.map((item) => ({ item, name: nameOf(item) }));
	return named.sort((a, b) => compare(a.name, b.name)).map(({ item }) => item);
}

class Folder {
	readonly folders = new Map<string, Folder>();
	readonly files: FileChange[] = [];
	own: FileChange | null = null;
	private order: { folders: Folder[]; files: FileChange[] } | null = null;

	constructor(
		readonly path: string,
		readonly name: string,
	) {}

	/** The folder of that name in this one. */
	in(name: string): Folder {
		let folder = this.folders.get(name);
		if (!folder) {
			folder = new Folder(this.path === "" ? name : `${this.path}/${name}`, name);
			this.folders.set(name, folder);
		}
		return folder;
	}

	/** The folders and the files in it, each in their order. */
	ordered(): { folders: Folder[]; files: FileChange[] } {
		return (this.order ??= {
			folders: byName([...this.folders.values()], ({ name }) => name),
			files: byName(this.files, ({ path }) => path.slice(path.lastIndexOf("/") + 1)),
		});
	}

	/** The folder of that path below this one. */
	at(path: string): Folder {
		return path.split("/").reduce<Folder>((folder, name) => folder.in(name), this);
	}
}

/** The changes of a part of the list, put into their folders. */
class Root extends Folder {
	/** Most files lie in the folder of the one before them. */
	private last = { path: "", folder: this as Folder };

	constructor() {
		super("", "");
	}

	put(file: FileChange): void {
		if (isFolder(file)) {
			this.at(file.path).own = file;
			return;
		}
		const path = file.path.slice(0, Math.max(0, file.path.lastIndexOf("/")));
		if (path !== this.last.path) this.last = { path, folder: path === "" ? this : this.at(path) };
		this.last.folder.files.push(file);
	}
}

/** The trees of a list of files. */
export class Tree {
	private readonly parts = new Map<Part, Root>();
	/** By the new path of what is renamed, the notes in which links follow it. */
	private readonly following = new Map<string, FileChange[]>();

	constructor(files: readonly FileChange[]) {
		for (const part of ["delete", "rename", "rest"] as const) this.parts.set(part, new Root());
		for (const { status, path } of files) if (status === "rename") this.following.set(path, []);
		for (const file of files) {
			const below = file.linksOnly ? this.following.get(file.follows ?? "") : undefined;
			if (below) below.push(file);
			else this.parts.get(partOf(file))?.put(file);
		}
	}

	/** The files alone, in their order; those with links that follow a rename stand below it. */
	flat(folded: (id: string) => boolean): Line[] {
		return this.all((id) => foldedAtFirst(id) && folded(id)).flatMap((line): Line[] => {
			if (line.head?.follows) return [{ ...line, level: 0 }];
			const file = line.file ?? line.head?.own;
			if (!file) return [];
			if (!line.file) return [{ id: `${file.status}:${file.path}`, level: 0, file }];
			return [{ id: line.id, level: follows(line) ? 1 : 0, file }];
		});
	}

	/** Every line that is to be seen; those below a folded head are not. */
	all(folded: (id: string) => boolean): Line[] {
		const lines: Line[] = [];
		const full = [...this.parts].filter(([, { folders, files }]) => folders.size + files.length > 0);
		for (const [part, root] of full) {
			const level = full.length > 1 ? 1 : 0;
			const below = this.below(part, root, level, folded);
			if (level === 0) lines.push(...below.lines);
			else {
				const head = { part, path: "", name: "", changes: below.changes, own: null };
				add(lines, { id: `${part}:`, level: 0, head }, below.lines, folded);
			}
		}
		return lines;
	}

	private below(
		part: Part,
		folder: Folder,
		level: number,
		folded: (id: string) => boolean,
	): { lines: Line[]; changes: FileChange[] } {
		const lines: Line[] = [];
		const changes: FileChange[] = folder.own ? [folder.own] : [];
		const { folders, files } = folder.ordered();
		for (const first of folders) {
			const { at, name } = alone(first);
			const inside = this.below(part, at, level + 1, folded);
			const head = { part, path: at.path, name, changes: inside.changes, own: at.own };
			add(lines, { id: `${part}:${at.path}/`, level, head }, inside.lines, folded);
			for (const change of inside.changes) changes.push(change);
		}
		for (const file of files) {
			lines.push({ id: `${file.status}:${file.path}`, level, file });
			changes.push(file);
			this.links(part, file, level + 1, lines, folded);
		}
		return { lines, changes };
	}

	/** The notes in which links follow a rename, in one line that opens. */
	private links(
		part: Part,
		of: FileChange,
		level: number,
		lines: Line[],
		folded: (id: string) => boolean,
	): void {
		const changes =
			of.status === "rename" ? byName(this.following.get(of.path) ?? [], ({ path }) => path) : [];
		if (changes.length === 0) return;
		const head = { part, path: "", name: "", changes, own: null, follows: true };
		const below = changes.map((file) => ({ id: `follows:${file.path}`, level: level + 1, file }));
		add(lines, { id: `links:${of.path}`, level, head }, below, folded);
	}
}

/** Follows folders that hold one folder and nothing else: they stand in one line. */
function alone(first: Folder): { at: Folder; name: string } {
	let at = first;
	let { name } = first;
	for (;;) {
		const [only, ...more] = at.folders.values();
		if (!only || more.length > 0 || at.files.length > 0 || at.own) return { at, name };
		at = only;
		name = `${name}/${only.name}`;
	}
}

function add(lines: Line[], head: Line, below: readonly Line[], folded: (id: string) => boolean): void {
	lines.push(head);
	if (folded(head.id)) return;
	for (const line of below) lines.push(line);
}
