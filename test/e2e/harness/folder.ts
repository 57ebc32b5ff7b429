import { createHash } from "node:crypto";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What the app and the plugin keep in a vault besides the notes. */
export const bookkeeping = [
	".obsidian/plugins/embedded-agent",
	".obsidian/workspace.json",
	".obsidian/workspace-mobile.json",
	".trash",
];

export interface HashOptions {
	/** Paths below the folder that do not count, with all that is in them. */
	ignore?: string[];
}

/**
 * Every file's path and SHA-256, every folder's path with a slash at the end and an empty hash; sorted. Two folders
 * with equal results hold the same bytes under the same names.
 */
export function hashFolder(
	folder: string,
	{ ignore = bookkeeping }: HashOptions = {},
): Record<string, string> {
	const hashes: Record<string, string> = {};
	const walk = (relative: string): void => {
		const entries = readdirSync(join(folder, relative), { withFileTypes: true });
		for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
			const path = relative === "" ? entry.name : `${relative}/${entry.name}`;
			if (ignore.includes(path)) continue;
			if (entry.isDirectory()) {
				hashes[`${path}/`] = "";
				walk(path);
			} else {
				const bytes = entry.isSymbolicLink()
					? Buffer.from(readlinkSync(join(folder, path)))
					: readFileSync(join(folder, path));
				hashes[path] = createHash("sha256").update(bytes).digest("hex");
			}
		}
	};
	walk("");
	return hashes;
}
