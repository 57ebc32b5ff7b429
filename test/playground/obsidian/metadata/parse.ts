/** One note's text to its cache. Pure, so that it can run in a worker. */
import type { SyntaxNode } from "@lezer/common";
import { getFrontMatterInfo, parseYaml } from "../yaml";
import { noteParser } from "./syntax";
import type { CachedMetadata, CacheItem, Loc, Pos, ReferenceCache } from "./types";

/** Offsets to lines and columns, all from 0. */
class Lines {
	private readonly starts = [0];

	constructor(text: string) {
		for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.starts.push(at + 1);
	}

	at(offset: number): Loc {
		let low = 0;
		let high = this.starts.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((this.starts[middle] as number) <= offset) low = middle;
			else high = middle - 1;
		}
		return { line: low, col: offset - (this.starts[low] as number), offset };
	}
}

const sectionTypes: Record<string, string> = {
	ATXHeading1: "heading",
	ATXHeading2: "heading",
	ATXHeading3: "heading",
	ATXHeading4: "heading",
	ATXHeading5: "heading",
	ATXHeading6: "heading",
	SetextHeading1: "heading",
	SetextHeading2: "heading",
	Paragraph: "paragraph",
	BulletList: "list",
	OrderedList: "list",
	Blockquote: "blockquote",
	FencedCode: "code",
	CodeBlock: "code",
	HTMLBlock: "html",
	CommentBlock: "html",
	CommentBlockObsidian: "comment",
	HorizontalRule: "thematicBreak",
	Table: "table",
	LinkReference: "definition",
	FootnoteDefinition: "footnoteDefinition",
};

/** Below this many levels nothing is looked for: a note of 20,000 nested quotes must not exhaust the stack. */
const deepest = 200;

/** The block id at the end of a text, if any. */
const blockId = /(?:^|[ \t\n])\^([a-zA-Z0-9-]+)\s*$/;

export function parseNote(text: string): CachedMetadata {
	return new NoteReader(text).read();
}

class NoteReader {
	private readonly lines: Lines;
	private readonly cache: CachedMetadata = {};
	private offset = 0;
	private depth = 0;

	constructor(private readonly text: string) {
		this.lines = new Lines(text);
	}

	read(): CachedMetadata {
		this.readFrontMatter();
		const tree = noteParser.parse(this.text.slice(this.offset));
		for (let node = tree.topNode.firstChild; node; node = node.nextSibling) this.section(node);
		return this.cache;
	}

	private push<
		K extends
			| "links"
			| "embeds"
			| "tags"
			| "headings"
			| "footnotes"
			| "footnoteRefs"
			| "referenceLinks"
			| "sections"
			| "listItems",
	>(key: K, item: NonNullable<CachedMetadata[K]>[number]): void {
		const list = (this.cache[key] ??= []) as unknown[];
		list.push(item);
	}

	private readFrontMatter(): void {
		const info = getFrontMatterInfo(this.text);
		if (!info.exists) return;
		this.offset = info.contentStart;
		const fenceEnd = this.text.slice(0, info.contentStart).replace(/\r?\n$/, "").length;
		const position = { start: this.lines.at(0), end: this.lines.at(fenceEnd) };
		this.push("sections", { type: "yaml", position });
		try {
			const parsed = parseYaml(info.frontmatter);
			if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return;
			this.cache.frontmatter = parsed as Record<string, unknown>;
			this.cache.frontmatterPosition = position;
			this.frontMatterLinks("", parsed);
		} catch {
			// Front matter that is not YAML: the app too shows the note without properties.
			return;
		}
	}

	private frontMatterLinks(key: string, value: unknown): void {
		if (typeof value === "string") {
			const match = /^\[\[([^\]|]+)(?:\|([^\]]*))?\]\]$/.exec(value.trim());
			if (!match) return;
			const link = (match[1] ?? "").trim();
			(this.cache.frontmatterLinks ??= []).push({
				key,
				link,
				original: value,
				displayText: match[2] ?? link,
			});
		} else if (typeof value === "object" && value !== null) {
			for (const [name, inner] of Object.entries(value))
				this.frontMatterLinks(key === "" ? name : `${key}.${name}`, inner);
		}
	}

	private position(node: { from: number; to: number }): Pos {
		return { start: this.lines.at(node.from + this.offset), end: this.lines.at(node.to + this.offset) };
	}

	private slice(node: { from: number; to: number }): string {
		return this.text.slice(node.from + this.offset, node.to + this.offset);
	}

	private section(node: SyntaxNode): void {
		const type = this.sectionType(node);
		const item: NonNullable<CachedMetadata["sections"]>[number] = { type, position: this.position(node) };
		if (type === "paragraph" && this.standaloneId(node)) return;
		if (type !== "list" && type !== "code") this.nameBlock(item, this.slice(node));
		this.push("sections", item);
		this.visit(node);
	}

	private sectionType(node: SyntaxNode): string {
		if (node.name === "Blockquote" && /^>\s*\[![^\]]+\]/.test(this.slice(node))) return "callout";
		return sectionTypes[node.name] ?? "paragraph";
	}

	/** A paragraph that is nothing but `^id` names the block before it. */
	private standaloneId(node: SyntaxNode): boolean {
		const match = /^\^([a-zA-Z0-9-]+)\s*$/.exec(this.slice(node));
		const before = this.cache.sections?.at(-1);
		if (!match || !before || before.type === "yaml") return false;
		this.addBlock(before, match[1] as string);
		return true;
	}

	private nameBlock(item: CacheItem & { id?: string }, text: string): void {
		const match = blockId.exec(text);
		if (match) this.addBlock(item, match[1] as string);
	}

	private addBlock(item: CacheItem & { id?: string }, id: string): void {
		item.id = id;
		(this.cache.blocks ??= {})[id.toLowerCase()] = { id, position: item.position };
	}

	private visit(node: SyntaxNode, parentItem?: number): void {
		if (this.depth >= deepest) return;
		this.depth++;
		this.enter(node, parentItem);
		this.depth--;
	}

	private enter(node: SyntaxNode, parentItem: number | undefined): void {
		switch (node.name) {
			case "WikiLink":
			case "WikiEmbed":
				this.wikiLink(node);
				return;
			case "Link":
			case "Image":
				this.markdownLink(node);
				break;
			case "Hashtag":
				this.push("tags", { tag: this.slice(node), position: this.position(node) });
				return;
			case "FootnoteRef":
				this.push("footnoteRefs", { id: this.slice(node).slice(2, -1), position: this.position(node) });
				return;
			case "FootnoteDefinition":
				this.push("footnotes", {
					id: /\^([^\]]+)/.exec(this.slice(node))?.[1] ?? "",
					position: this.position(node),
				});
				break;
			case "LinkReference":
				this.referenceLink(node);
				return;
			case "ListItem":
				this.listItem(node, parentItem);
				return;
		}
		if (/Heading[1-6]$/.test(node.name)) this.heading(node);
		for (let child = node.firstChild; child; child = child.nextSibling) this.visit(child, parentItem);
	}

	private heading(node: SyntaxNode): void {
		const level = Number(node.name.at(-1));
		const raw = this.slice(node);
		const heading = node.name.startsWith("ATX")
			? raw.replace(/^\s*#{1,6}[ \t]*/, "").replace(/[ \t]+#+[ \t]*$/, "")
			: raw.replace(/\n[^\n]*$/, "");
		this.push("headings", { heading: heading.trim(), level, position: this.position(node) });
	}

	private wikiLink(node: SyntaxNode): void {
		const original = this.slice(node);
		const embed = node.name === "WikiEmbed";
		const inner = original.slice(embed ? 3 : 2, -2);
		// In a table the bar is escaped.
		const bar = inner.search(/\\?\|/);
		const link = (bar < 0 ? inner : inner.slice(0, bar)).trim();
		const displayText =
			bar < 0 ? link.replaceAll("#", " > ").replace(/^ > /, "") : inner.slice(bar).replace(/^\\?\|/, "");
		this.push(embed ? "embeds" : "links", { link, original, displayText, position: this.position(node) });
	}

	private markdownLink(node: SyntaxNode): void {
		const url = node.getChild("URL");
		if (!url) return;
		const target = this.slice(url).replace(/^<|>$/g, "");
		if (target === "" || /^[a-z][a-z\d+.-]*:/i.test(target)) return;
		const original = this.slice(node);
		const displayText = /^!?\[([^\]]*)\]/.exec(original)?.[1] ?? "";
		const reference: ReferenceCache = {
			link: decode(target),
			original,
			displayText,
			position: this.position(node),
		};
		this.push(node.name === "Image" ? "embeds" : "links", reference);
	}

	private referenceLink(node: SyntaxNode): void {
		const match = /^\[([^\]]+)\]:\s*<?([^\s>]+)/.exec(this.slice(node));
		if (match)
			this.push("referenceLinks", {
				id: match[1] ?? "",
				link: match[2] ?? "",
				position: this.position(node),
			});
	}

	private listItem(node: SyntaxNode, parentItem: number | undefined): void {
		const position = this.position(node);
		const nested = node.getChild("BulletList") ?? node.getChild("OrderedList");
		const own = this.slice({ from: node.from, to: nested ? nested.from : node.to }).trimEnd();
		position.end = this.lines.at(node.from + this.offset + own.length);
		const item: NonNullable<CachedMetadata["listItems"]>[number] = {
			position,
			parent: parentItem ?? this.rootParent(node),
		};
		const task = /^(?:[-*+]|\d+[.)])\s+\[(.)\](?:\s|$)/u.exec(own);
		if (task) item.task = task[1];
		this.nameBlock(item, own);
		this.push("listItems", item);
		for (let child = node.firstChild; child; child = child.nextSibling)
			this.visit(child, position.start.line);
	}

	/** A root item's parent: minus the line where its list starts, and -1 for the first line. */
	private rootParent(node: SyntaxNode): number {
		const line = this.lines.at((node.parent?.from ?? 0) + this.offset).line;
		return line === 0 ? -1 : -line;
	}
}

function decode(target: string): string {
	try {
		return decodeURIComponent(target);
	} catch {
		// A stray percent sign: the text is meant as it stands.
		return target;
	}
}
