/** Rewrites the links to a file that is being moved. */
import type { App } from "./app";
import type { TFile } from "./files";
import type { CachedMetadata } from "./metadata/types";
import { parseLinktext } from "./paths";
import { getFrontMatterInfo } from "./yaml";

/** One link in one note: its text and which file it meant. */
export interface FoundLink {
	/** Where it stands; null in front matter, for which the cache has no positions. */
	range: { start: number; end: number } | null;
	original: string;
	link: string;
	target: TFile;
}

/** All links to any of `targets`, by the note that holds them; from the cache, as the app does. */
export function findLinks(app: App, targets: Set<TFile>): Map<TFile, FoundLink[]> {
	const found = new Map<TFile, FoundLink[]>();
	for (const [sourcePath, counts] of Object.entries(app.metadataCache.resolvedLinks)) {
		if (!linksToAny(counts, targets)) continue;
		const source = app.vault.getFileByPath(sourcePath);
		const cache = source && app.metadataCache.getFileCache(source);
		if (source && cache) found.set(source, linksOf(app, source, cache, targets));
	}
	return found;
}

function linksToAny(counts: Record<string, number>, targets: Set<TFile>): boolean {
	for (const target of targets) if (Object.hasOwn(counts, target.path)) return true;
	return false;
}

function linksOf(app: App, source: TFile, cache: CachedMetadata, targets: Set<TFile>): FoundLink[] {
	const found: FoundLink[] = [];
	const add = (link: string, original: string, range: FoundLink["range"]): void => {
		const target = app.metadataCache.getFirstLinkpathDest(parseLinktext(link).path, source.path);
		if (target && targets.has(target)) found.push({ range, original, link, target });
	};
	for (const { link, original, position } of [...(cache.links ?? []), ...(cache.embeds ?? [])])
		add(link, original, { start: position.start.offset, end: position.end.offset });
	for (const { link, original } of cache.frontmatterLinks ?? []) add(link, original.trim(), null);
	return found;
}

/** Writes the new link texts; a link whose text is no longer where the cache saw it is left alone. */
export async function updateLinks(app: App, found: Map<TFile, FoundLink[]>): Promise<void> {
	for (const [source, links] of found) {
		if (source.deleted) continue;
		await app.vault.process(source, (text) => rewriteAll(app, source, links, text));
	}
}

function rewriteAll(app: App, source: TFile, links: FoundLink[], text: string): string {
	let changed = text;
	const start = (link: FoundLink): number => link.range?.start ?? -1;
	for (const link of links.slice().sort((a, b) => start(b) - start(a))) {
		const after = rewrite(app, link, source);
		if (link.range === null) {
			// From the end of the text to its start, so the front matter comes last and no offset is moved.
			const { contentStart } = getFrontMatterInfo(changed);
			changed =
				changed.slice(0, contentStart).replaceAll(link.original, () => after) + changed.slice(contentStart);
		} else if (changed.slice(link.range.start, link.range.end) === link.original)
			changed = changed.slice(0, link.range.start) + after + changed.slice(link.range.end);
	}
	return changed;
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
