// Notes as the app's metadata cache knows them.
import { getLinkpath, TFile, type App, type CachedMetadata, type Plugin } from "obsidian";
import type { Host } from "../client";
import type { FileMetadata } from "../protocol.gen";

/** Bytes from which on a note is left to the core: to hand over what it holds would stop the app for a moment. */
const LARGE = 200_000;

/** The files that the cache was made of. Not in the app's public interface. */
type Sources = Record<string, { mtime: number; size: number } | undefined>;

/**
 * The app's metadata cache, which runs behind right after a write: what it has
 * not seen is told as stale.
 */
export function metadataHost(plugin: Plugin): Pick<Host, "vault.metadata"> {
	const { app } = plugin;
	const behind = new Set<string>();
	let follows = false;
	const follow = () => {
		follows = true;
		plugin.registerEvent(app.vault.on("modify", (file) => behind.add(file.path)));
		plugin.registerEvent(app.vault.on("create", (file) => behind.add(file.path)));
		plugin.registerEvent(
			app.vault.on("rename", (file, old) => {
				if (behind.delete(old)) behind.add(file.path);
			}),
		);
		plugin.registerEvent(app.vault.on("delete", (file) => behind.delete(file.path)));
		plugin.registerEvent(
			app.metadataCache.on("changed", (file, data) => {
				// A second change may have come while the first was read.
				if (new Blob([data]).size === file.stat.size) behind.delete(file.path);
			}),
		);
	};
	return {
		"vault.metadata": async ({ paths }) => {
			if (!follows) follow();
			return { files: paths.map((path) => ofFile(app, path, behind)) };
		},
	};
}

function ofFile(app: App, path: string, behind: Set<string>): FileMetadata {
	const file = app.vault.getAbstractFileByPath(path);
	const small = file instanceof TFile && file.stat.size < LARGE;
	const cache = small ? app.metadataCache.getFileCache(file) : null;
	if (!(file instanceof TFile) || !cache || !fresh(app, file, behind)) {
		return { path, size: 0, mtime: 0, stale: true };
	}
	const { size, mtime } = file.stat;
	return { path, size, mtime: Math.trunc(mtime), ...contentOf(cache) };
}

/** Says whether the cache has seen the file as it is. */
function fresh(app: App, { path, stat }: TFile, behind: Set<string>): boolean {
	const { fileCache } = app.metadataCache as { fileCache?: Sources };
	if (fileCache === undefined) return !behind.has(path);
	return fileCache[path]?.mtime === stat.mtime && fileCache[path].size === stat.size;
}

function contentOf(cache: CachedMetadata): Partial<FileMetadata> {
	const links = [...(cache.links ?? []), ...(cache.embeds ?? []), ...(cache.frontmatterLinks ?? [])];
	return {
		tags: cache.tags?.map(({ tag }) => tag),
		links: links.map(({ link }) => getLinkpath(link)).filter((link) => link !== ""),
		properties: cache.frontmatter && JSON.stringify(cache.frontmatter),
		tasks: cache.listItems?.filter(({ task }) => task !== undefined).length,
	};
}
