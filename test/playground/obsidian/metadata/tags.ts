import { parseFrontMatterTags } from "../yaml";
import type { CachedMetadata } from "./types";

/** All tags of a note with their `#`, those of its front matter first; null where there is no cache. */
export function getAllTags(cache: CachedMetadata | null): string[] | null {
	if (!cache) return null;
	const inside = (cache.tags ?? []).map(({ tag }) => tag);
	return [...(parseFrontMatterTags(cache.frontmatter) ?? []), ...inside];
}
