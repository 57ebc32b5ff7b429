/** The cache of one note, as in the public typings. */
export interface Loc {
	line: number;
	col: number;
	offset: number;
}

export interface Pos {
	start: Loc;
	end: Loc;
}

export interface CacheItem {
	position: Pos;
}

export interface ReferenceCache extends CacheItem {
	link: string;
	original: string;
	displayText?: string;
}

export interface CachedMetadata {
	links?: ReferenceCache[];
	embeds?: ReferenceCache[];
	tags?: (CacheItem & { tag: string })[];
	headings?: (CacheItem & { heading: string; level: number })[];
	footnotes?: (CacheItem & { id: string })[];
	footnoteRefs?: (CacheItem & { id: string })[];
	referenceLinks?: (CacheItem & { id: string; link: string })[];
	sections?: (CacheItem & { type: string; id?: string })[];
	listItems?: (CacheItem & { parent: number; task?: string; id?: string })[];
	frontmatter?: Record<string, unknown>;
	frontmatterPosition?: Pos;
	frontmatterLinks?: { key: string; link: string; original: string; displayText?: string }[];
	blocks?: Record<string, CacheItem & { id: string }>;
}
