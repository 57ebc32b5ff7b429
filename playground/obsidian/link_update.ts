/** Rewrites the links to a file that is being moved. */
import type { App } from "./app";
import type { TFile } from "./files";
import { parseLinktext } from "./paths";

/** One link in one note: where it is and which file it meant. */
export interface FoundLink {
	start: number;
	end: number;
	original: string;
	link: string;
	target: TFile;
}

/** All links to any of `targets`, by the note that holds them; from the cache, as the app does. */
export function findLinks(app: App, targets: Set<TFile>): Map<TFile, FoundLink[]> {
	const found = new Map<TFile, FoundLink[]>();
	for (const sourcePath of Object.keys(app.metadataCache.resolvedLinks)) {
		const counts = app.metadataCache.resolvedLinks[sourcePath] ?? {};
		if (![...targets].some((target) => Object.hasOwn(counts, target.path))) continue;
		const source = app.vault.getFileByPath(sourcePath);
		const cache = source && app.metadataCache.getFileCache(source);
		if (!source || !cache) continue;
		const links = [...(cache.links ?? []), ...(cache.embeds ?? [])];
		for (const { link, original, position } of links) {
			const target = app.metadataCache.getFirstLinkpathDest(parseLinktext(link).path, sourcePath);
			if (!target || !targets.has(target)) continue;
			const entry: FoundLink = {
				start: position.start.offset,
				end: position.end.offset,
				original,
				link,
				target,
			};
			found.set(source, [...(found.get(source) ?? []), entry]);
		}
	}
	return found;
}

/** Writes the new link texts; a link whose text is no longer where the cache saw it is left alone. */
export async function updateLinks(app: App, found: Map<TFile, FoundLink[]>): Promise<void> {
	for (const [source, links] of found) {
		if (source.deleted) continue;
		await app.vault.process(source, (text) => {
			let changed = text;
			for (const link of links.slice().sort((a, b) => b.start - a.start)) {
				if (changed.slice(link.start, link.end) !== link.original) continue;
				changed = changed.slice(0, link.start) + rewrite(app, link, source) + changed.slice(link.end);
			}
			return changed;
		});
	}
}

/** The link with its new target, everything else as it was: kind, embed, alias, subpath. */
function rewrite(app: App, found: FoundLink, source: TFile): string {
	const { subpath } = parseLinktext(found.link);
	const wiki = /^(!?\[\[)([^\]|]*)((?:\|[^\]]*)?\]\])$/.exec(found.original);
	if (wiki) {
		const path = app.fileManager.linkPath(found.target, source.path);
		return `${wiki[1]}${path}${subpath}${wiki[3]}`;
	}
	const markdown = /^(!?\[[^\]]*\]\()(<?)([^)>]*)(>?)((?:\s+"[^"]*")?\))$/.exec(found.original);
	if (!markdown) return found.original;
	const [, before, open, , close, after] = markdown;
	const path = app.fileManager.linkPath(found.target, source.path, false) + subpath;
	return `${before}${open}${open ? path : encodeLink(path)}${close}${after}`;
}

/** A path as it stands in a Markdown link. */
export function encodeLink(path: string): string {
	return path.replace(/[ \\()<>\u00a0]/g, (character) =>
		encodeURIComponent(character).replace("(", "%28").replace(")", "%29"),
	);
}
