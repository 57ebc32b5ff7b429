import type { TFile } from "../files";
import { parentPath } from "../paths";

/** Files by lower-case name: how a link finds its file. */
export class NameIndex {
	private readonly byName = new Map<string, Set<TFile>>();

	add(file: TFile): void {
		const key = file.name.toLowerCase();
		const files = this.byName.get(key);
		if (files) files.add(file);
		else this.byName.set(key, new Set([file]));
	}

	remove(file: TFile, name: string): void {
		const key = name.toLowerCase();
		const files = this.byName.get(key);
		files?.delete(file);
		if (files?.size === 0) this.byName.delete(key);
	}

	/** How many files have this name, whatever its case. */
	count(name: string): number {
		return this.byName.get(name.toLowerCase())?.size ?? 0;
	}

	/**
	 * The file that a link means: relative and absolute paths as such, else every file whose path ends with the
	 * link; the one in the folder of the source first, then the one with the shortest path.
	 */
	resolve(linkpath: string, sourcePath: string): TFile | null {
		const wanted = linkpath.toLowerCase();
		const relative = /^\.\.?\//.test(wanted);
		const full = relative
			? resolveRelative(parentPath(sourcePath).toLowerCase(), wanted)
			: wanted.replace(/^\//, "");
		const candidates = this.candidates(full);
		const exact = candidates.find((file) => matches(file, full, true));
		if (exact || relative || wanted.startsWith("/")) return exact ?? null;
		const found = candidates.filter((file) => matches(file, full, false));
		const here = parentPath(sourcePath);
		const inFolder = found.find((file) => parentPath(file.path) === here);
		if (inFolder) return inFolder;
		return found.sort((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1))[0] ?? null;
	}

	private candidates(full: string): TFile[] {
		const name = full.slice(full.lastIndexOf("/") + 1);
		return [...(this.byName.get(name) ?? []), ...(this.byName.get(`${name}.md`) ?? [])];
	}
}

function matches(file: TFile, wanted: string, whole: boolean): boolean {
	const path = file.path.toLowerCase();
	return [wanted, `${wanted}.md`].some((one) => path === one || (!whole && path.endsWith(`/${one}`)));
}

function resolveRelative(folder: string, link: string): string {
	const parts = folder === "/" ? [] : folder.split("/");
	for (const part of link.split("/")) {
		if (part === "..") parts.pop();
		else if (part !== ".") parts.push(part);
	}
	return parts.join("/");
}
