import { TFile, TFolder, type TAbstractFile, type Vault } from "obsidian";
import { fail } from "../problem";
import type { Info } from "../protocol.gen";

/**
 * Refuses what the core never asks for: a way out of the vault, or a hidden
 * file. The core checks every path; this is the second lock.
 */
export function guard(path: string): string {
	for (const part of path === "" ? [] : path.split("/")) {
		if (part === "" || part === "." || part === "..")
			throw fail("VALIDATION_ERROR", "error.path.outside", { path });
		if (part.startsWith(".")) throw fail("VALIDATION_ERROR", "error.path.hidden", { path });
	}
	return path;
}

/**
 * Hears of a write of this plugin before it is made; `folder` says that a folder is written, with all that is in it.
 * Nobody has read when the app tells of a write, and whether it does so for each file of a folder.
 */
export type Hears = (path: string, folder: boolean) => void;

/** The entry at a path of the core ("" is the root). */
export function entryAt(vault: Vault, path: string): TAbstractFile {
	const entry = find(vault, path);
	if (!entry) throw fail("NOT_FOUND", "error.vault.notFound", { path });
	return entry;
}

/** The entry at a path, or null. */
export function find(vault: Vault, path: string): TAbstractFile | null {
	return path === "" ? vault.getRoot() : vault.getAbstractFileByPath(guard(path));
}

/** The file at a path. */
export function fileAt(vault: Vault, path: string): TFile {
	const entry = entryAt(vault, path);
	if (entry instanceof TFile) return entry;
	throw fail("VALIDATION_ERROR", "error.vault.isFolder", { path });
}

/** The folder at a path. */
export function folderAt(vault: Vault, path: string): TFolder {
	const entry = entryAt(vault, path);
	if (entry instanceof TFolder) return entry;
	throw fail("VALIDATION_ERROR", "error.vault.isFile", { path });
}

/** Describes an entry, with the keys in the order in which the core reads them fastest. */
export function infoOf(entry: TAbstractFile): Info {
	const path = entry.path === "/" ? "" : entry.path;
	if (!(entry instanceof TFile)) return { path, kind: "folder", size: 0, ctime: 0, mtime: 0 };
	const { size, ctime, mtime } = entry.stat;
	return { path, kind: "file", size, ctime: Math.trunc(ctime), mtime: Math.trunc(mtime) };
}

/** Stands for "nothing is there any more". */
export const GONE: Info = { path: "", kind: "", size: 0, ctime: 0, mtime: 0 };

/** Orders by path, as the core does. */
export function byPath(a: { path: string }, b: { path: string }): number {
	return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

// The app's exact words (sourced: its own error texts).
const EXISTS = /^(File|Folder) already exists\.?$|^Destination file already exists!?$/;
const BAD_NAME = /^File name cannot contain/;
const MISSING = /ENOENT|no such file|does not exist/i;

/** Gives an error of the app the code and the words that people get. */
export function translate(error: unknown, path: string, missing = "error.vault.notFound"): Error {
	if (!(error instanceof Error) || error.name === "ProblemError") return error as Error;
	if (EXISTS.test(error.message)) return fail("CONFLICT", "error.vault.exists", { path });
	if (BAD_NAME.test(error.message)) return fail("VALIDATION_ERROR", "error.vault.name", { path }, error);
	if (MISSING.test(error.message)) return fail("NOT_FOUND", missing, { path }, error);
	return fail("INTERNAL_ERROR", "error.vault.io", { path }, error);
}
