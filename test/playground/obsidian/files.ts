import { fileName, splitName } from "./paths";
import type { Vault } from "./vault";

export interface FileStats {
	ctime: number;
	mtime: number;
	size: number;
}

/** A file or folder of the index. */
export abstract class TAbstractFile {
	vault: Vault;
	path: string;
	name: string;
	parent: TFolder | null = null;
	/** True once it is gone from the vault. */
	deleted = false;

	constructor(vault: Vault, path: string) {
		this.vault = vault;
		this.path = path;
		this.name = path === "/" ? "" : fileName(path);
	}

	/** Gives it another place; the index does the rest. */
	setPath(path: string): void {
		this.path = path;
		this.name = fileName(path);
	}

	getNewPathAfterRename(name: string): string {
		const parent = this.parent?.path ?? "/";
		return parent === "/" ? name : `${parent}/${name}`;
	}
}

export class TFile extends TAbstractFile {
	stat: FileStats;
	basename = "";
	extension = "";
	/** True while the app itself is writing it. */
	saving = false;

	constructor(vault: Vault, path: string, stat: FileStats) {
		super(vault, path);
		this.stat = stat;
		this.setPath(path);
	}

	override setPath(path: string): void {
		super.setPath(path);
		const { basename, extension } = splitName(this.name);
		this.basename = basename;
		this.extension = extension;
	}

	getShortName(): string {
		return this.extension === "md" ? this.basename : this.name;
	}
}

export class TFolder extends TAbstractFile {
	children: TAbstractFile[] = [];

	isRoot(): boolean {
		return this.path === "/";
	}

	/** Path with a slash at the end, "" for the root. */
	getParentPrefix(): string {
		return this.isRoot() ? "" : `${this.path}/`;
	}
}
