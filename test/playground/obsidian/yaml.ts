/** YAML and front matter. */
import { parse, stringify } from "yaml";

/** What the YAML says; throws where it is not YAML. */
export function parseYaml(yaml: string): unknown {
	return parse(yaml, { logLevel: "error" }) as unknown;
}

/** As YAML, block style, lines not folded. */
export function stringifyYaml(obj: unknown): string {
	return stringify(obj, { lineWidth: 0, nullStr: "" });
}

export interface FrontMatterInfo {
	exists: boolean;
	/** The YAML between the fences. */
	frontmatter: string;
	/** Where the YAML starts and ends, as offsets. */
	from: number;
	to: number;
	/** Where the text of the note starts. */
	contentStart: number;
}

const fence = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Where the front matter is. A byte order mark before it is allowed. */
export function getFrontMatterInfo(content: string): FrontMatterInfo {
	const match = fence.exec(content);
	if (!match) return { exists: false, frontmatter: "", from: 0, to: 0, contentStart: 0 };
	const frontmatter = match[1] ?? "";
	const from = content.indexOf("\n") + 1;
	return { exists: true, frontmatter, from, to: from + frontmatter.length, contentStart: match[0].length };
}

type FrontMatter = Record<string, unknown> | null | undefined;

/** The value under a key, or under the first key that the expression matches. */
export function parseFrontMatterEntry(frontmatter: FrontMatter, key: string | RegExp): unknown {
	if (!frontmatter) return null;
	if (typeof key === "string") return frontmatter[key] ?? null;
	for (const [name, value] of Object.entries(frontmatter)) if (key.test(name)) return value ?? null;
	return null;
}

/** A list, or a text with commas, as a list of texts. */
export function parseFrontMatterStringArray(frontmatter: FrontMatter, key: string | RegExp): string[] | null {
	const value = parseFrontMatterEntry(frontmatter, key);
	const items = Array.isArray(value)
		? value
		: typeof value === "string"
			? value.split(",")
			: typeof value === "number"
				? [value]
				: null;
	if (!items) return null;
	const texts = items
		.filter((item) => typeof item === "string" || typeof item === "number")
		.map((item) => String(item).trim());
	return texts.filter((text) => text !== "");
}

export function parseFrontMatterAliases(frontmatter: FrontMatter): string[] | null {
	return parseFrontMatterStringArray(frontmatter, /^alias(es)?$/i);
}

/** Tags with their `#`. Commas and spaces separate where they are one text. */
export function parseFrontMatterTags(frontmatter: FrontMatter): string[] | null {
	const value = parseFrontMatterEntry(frontmatter, /^tags?$/i);
	const items = Array.isArray(value) ? value : typeof value === "string" ? value.split(/[,\s]+/) : null;
	if (!items) return null;
	const tags = items
		.filter((item) => typeof item === "string" || typeof item === "number")
		.map((item) => String(item).trim());
	return tags.filter((tag) => tag !== "").map((tag) => (tag.startsWith("#") ? tag : `#${tag}`));
}
