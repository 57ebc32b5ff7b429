/** The tree of files and folders that are not hidden, by path. */
import type { WireStat } from "../shared/frames";
import { TFile, TFolder, type TAbstractFile } from "./files";
import { isHiddenPath, parentPath } from "./paths";
import type { Vault } from "./vault";

export class VaultIndex {
	readonly root: TFolder;
	readonly byPath = new Map<string, TAbstractFile>();

	constructor(private readonly vault: Vault) {
		this.root = new TFolder(vault, "/");
		this.byPath.set("/", this.root);
	}

	/**
	 * Takes in what is now at a path. Returns what came to be (folders above it included, outermost first)
	 * and the file whose content changed, if it was there already.
	 */
	put(path: string, stat: WireStat): { created: TAbstractFile[]; modified?: TFile } {
		if (isHiddenPath(path)) return { created: [] };
		const known = this.byPath.get(path);
		const [kind, ctime, mtime, size] = stat;
		if (known instanceof TFile && kind === "file") {
			known.stat = { ctime: known.stat.ctime, mtime, size };
			return { created: [], modified: known };
		}
		if (known) return { created: [] };
		const created: TAbstractFile[] = [];
		const parent = this.folderAt(parentPath(path), created);
		const entry =
			kind === "folder" ? new TFolder(this.vault, path) : new TFile(this.vault, path, { ctime, mtime, size });
		this.attach(entry, parent);
		created.push(entry);
		return { created };
	}

	/** Takes out what is no longer there; returns it and all that was in it, innermost first. */
	remove(path: string): TAbstractFile[] {
		const entry = this.byPath.get(path);
		if (!entry || entry === this.root) return [];
		const gone: TAbstractFile[] = [];
		this.collect(entry, gone);
		for (const one of gone) {
			this.byPath.delete(one.path);
			one.deleted = true;
		}
		this.detach(entry);
		return gone;
	}

	/** Moves an entry; returns each entry that moved with its old path, outermost first. */
	move(path: string, to: string): { entry: TAbstractFile; oldPath: string }[] {
		const entry = this.byPath.get(path);
		if (!entry || entry === this.root) return [];
		this.detach(entry);
		const inside: TAbstractFile[] = [];
		this.collect(entry, inside);
		const moved = inside.reverse().map((one) => ({ entry: one, oldPath: one.path }));
		for (const { entry: one, oldPath } of moved) {
			this.byPath.delete(oldPath);
			one.setPath(to + oldPath.slice(path.length));
			this.byPath.set(one.path, one);
		}
		const parent = this.folderAt(parentPath(to), []);
		parent.children.push(entry);
		entry.parent = parent;
		return moved;
	}

	private folderAt(path: string, created: TAbstractFile[]): TFolder {
		const known = this.byPath.get(path);
		if (known instanceof TFolder) return known;
		const parent = this.folderAt(parentPath(path), created);
		const folder = new TFolder(this.vault, path);
		this.attach(folder, parent);
		created.push(folder);
		return folder;
	}

	private attach(entry: TAbstractFile, parent: TFolder): void {
		entry.parent = parent;
		parent.children.push(entry);
		this.byPath.set(entry.path, entry);
	}

	private detach(entry: TAbstractFile): void {
		const siblings = entry.parent?.children;
		const index = siblings?.indexOf(entry) ?? -1;
		if (index >= 0) siblings?.splice(index, 1);
	}

	private collect(entry: TAbstractFile, into: TAbstractFile[]): void {
		if (entry instanceof TFolder) for (const child of entry.children) this.collect(child, into);
		into.push(entry);
	}
}
