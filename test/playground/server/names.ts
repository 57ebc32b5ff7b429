/** From the paths that the page uses to the names on the real disk, as the disk of a profile would find them. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { foldName, type Profile } from "../shared/profiles";
import { DiskError } from "./errors";

const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

/** The names in a vault path. Refuses whatever could leave the folder. */
export function segments(path: string): string[] {
	if (path === "" || path === "/") return [];
	const names = path.split("/");
	for (const name of names) {
		if (name === "" || name === "." || name === ".." || name.includes("\0"))
			throw new DiskError("EACCES", "permission denied", path);
	}
	return names;
}

/** Refuses a new name that the profile's disk could not hold. */
export function checkNewName(profile: Profile, name: string, path: string): void {
	const { max, unit } = profile.nameLimit;
	const length = unit === "bytes" ? Buffer.byteLength(name) : name.length;
	if (length > max) throw new DiskError("ENAMETOOLONG", "name too long", path);
	if (profile.windowsNames && (reserved.test(name) || /[ .]$/.test(name)))
		throw new DiskError("EINVAL", "invalid argument", path);
}

/**
 * The real file behind a vault path: exact where it exists, else the entry that the profile's disk would
 * find (other case, other Unicode form). Names that do not exist are kept as given.
 *
 * Synchronous, like all small calls of the disk: a detour through the thread pool takes several times as long as
 * the call itself, and there is one page to serve.
 */
export function realPath(root: string, profile: Profile, path: string): string {
	const names = segments(path);
	const exact = join(root, ...names);
	// Where case counts, plain ASCII has no other spelling that could be meant.
	if ((!profile.foldsCase && isAscii(path)) || existsSync(exact)) return exact;
	let at = root;
	for (const [index, name] of names.entries()) {
		const found = findEntry(at, name, profile);
		if (found === undefined) return join(at, ...names.slice(index));
		at = join(at, found);
	}
	return at;
}

function isAscii(text: string): boolean {
	for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
	return true;
}

function findEntry(directory: string, name: string, profile: Profile): string | undefined {
	let entries: string[];
	try {
		entries = readdirSync(directory);
	} catch {
		// Not a directory or not there: nothing can be found in it; the call itself reports the error.
		return undefined;
	}
	const wanted = foldName(profile, name);
	let match: string | undefined;
	for (const entry of entries) {
		if (entry === name) return entry;
		if (match === undefined && foldName(profile, entry) === wanted) match = entry;
	}
	return match;
}
