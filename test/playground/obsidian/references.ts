/** Small functions over a note's cache. */
import type { CachedMetadata, CacheItem, Loc, ReferenceCache } from "./metadata/types";
import { stripHeading } from "./paths";

interface Reference {
	link: string;
	original: string;
	displayText?: string;
}

/** True where a callback stopped the walk by returning true. */
export function iterateRefs(refs: Reference[], cb: (ref: Reference) => boolean | void): boolean {
	return refs.some((ref) => cb(ref) === true);
}

/** Links, then embeds. */
export function iterateCacheRefs(
	cache: CachedMetadata,
	cb: (ref: ReferenceCache) => boolean | void,
): boolean {
	return [...(cache.links ?? []), ...(cache.embeds ?? [])].some((ref) => cb(ref) === true);
}

interface SubpathResult {
	type: "heading" | "block" | "footnote";
	start: Loc;
	end: Loc | null;
	[key: string]: unknown;
}

/** What `#heading`, `#^block` or `#[^footnote]` names in a note; null where there is no such thing. */
export function resolveSubpath(cache: CachedMetadata, subpath: string): SubpathResult | null {
	if (subpath.startsWith("#[^")) return resolveFootnote(cache, subpath.slice(3).replace(/\]$/, ""));
	if (subpath.startsWith("#^")) return resolveBlock(cache, subpath.slice(2).toLowerCase());
	return resolveHeading(
		cache,
		subpath.split("#").filter((part) => part !== ""),
	);
}

function resolveFootnote(cache: CachedMetadata, id: string): SubpathResult | null {
	const footnote = cache.footnotes?.find((one) => one.id === id);
	return footnote
		? { type: "footnote", footnote, start: footnote.position.start, end: footnote.position.end }
		: null;
}

function resolveBlock(cache: CachedMetadata, id: string): SubpathResult | null {
	const block = cache.blocks?.[id];
	if (!block) return null;
	const list = cache.listItems?.find((item) => item.id?.toLowerCase() === id);
	const result: SubpathResult = {
		type: "block",
		block,
		start: block.position.start,
		end: block.position.end,
	};
	return list ? { ...result, list } : result;
}

/** The path of headings, each below the one before. */
function resolveHeading(cache: CachedMetadata, path: string[]): SubpathResult | null {
	const headings = cache.headings ?? [];
	let index = -1;
	let level = 0;
	for (const part of path) {
		const wanted = stripHeading(part).toLowerCase();
		index = headings.findIndex(
			(one, at) => at > index && one.level > level && stripHeading(one.heading).toLowerCase() === wanted,
		);
		if (index < 0) return null;
		level = headings[index]?.level ?? 0;
	}
	const current = headings[index];
	if (!current) return null;
	const next: (CacheItem & { level: number }) | null =
		headings.find((one, at) => at > index && one.level <= current.level) ?? null;
	return { type: "heading", current, next, start: current.position.start, end: next?.position.start ?? null };
}
