/** Obsidian's Markdown for the metadata parser: GFM plus wikilinks, tags, comments, math and footnotes. */
import { tags } from "@lezer/highlight";
import { GFM, parser, type InlineContext, type MarkdownConfig } from "@lezer/markdown";

const bracket = 91;
const bang = 33;
const hash = 35;
const percent = 37;
const dollar = 36;

function wikilink(cx: InlineContext, next: number, pos: number): number {
	const embed = next === bang;
	const start = embed ? pos + 1 : pos;
	if (cx.slice(start, start + 2) !== "[[") return -1;
	const close = cx.slice(start + 2, cx.end).indexOf("]]");
	if (close <= 0) return -1;
	const inner = cx.slice(start + 2, start + 2 + close);
	if (/[\n[]/.test(inner)) return -1;
	return cx.addElement(cx.elt(embed ? "WikiEmbed" : "WikiLink", pos, start + close + 4));
}

function hashtag(cx: InlineContext, _next: number, pos: number): number {
	if (pos > cx.offset && !/\s/.test(cx.slice(pos - 1, pos))) return -1;
	const match =
		/^#((?=[^\s#]*[^\s#\d/_-])(?:[\p{L}\p{N}\p{Extended_Pictographic}_\-/]|\u200d|\ufe0f)+)/u.exec(
			cx.slice(pos, cx.end),
		);
	return match ? cx.addElement(cx.elt("Hashtag", pos, pos + match[0].length)) : -1;
}

function paired(name: string, mark: string) {
	return (cx: InlineContext, _next: number, pos: number): number => {
		if (cx.slice(pos, pos + mark.length) !== mark) return -1;
		const close = cx.slice(pos + mark.length, cx.end).indexOf(mark);
		return close < 0 ? -1 : cx.addElement(cx.elt(name, pos, pos + close + mark.length * 2));
	};
}

const inlineComment = paired("ObsidianComment", "%%");
const displayMath = paired("Math", "$$");

function inlineMath(cx: InlineContext, next: number, pos: number): number {
	const display = displayMath(cx, next, pos);
	if (display >= 0) return display;
	const match = /^\$(?=\S)([^$\n]*[^\s$\\])\$(?!\d)/.exec(cx.slice(pos, cx.end));
	return match ? cx.addElement(cx.elt("Math", pos, pos + match[0].length)) : -1;
}

function footnoteRef(cx: InlineContext, _next: number, pos: number): number {
	const match = /^\[\^([^\]\s]+)\]/.exec(cx.slice(pos, cx.end));
	return match ? cx.addElement(cx.elt("FootnoteRef", pos, pos + match[0].length)) : -1;
}

const when = (code: number, parse: (cx: InlineContext, next: number, pos: number) => number) => {
	return (cx: InlineContext, next: number, pos: number): number =>
		next === code ? parse(cx, next, pos) : -1;
};

/** What Obsidian has beyond GFM; the editor uses it too. */
export const obsidianSyntax: MarkdownConfig = {
	defineNodes: [
		{ name: "WikiLink", style: tags.link },
		{ name: "WikiEmbed", style: tags.link },
		{ name: "Hashtag", style: tags.labelName },
		{ name: "ObsidianComment", style: tags.comment },
		{ name: "Math", style: tags.monospace },
		{ name: "FootnoteRef", style: tags.link },
		"FootnoteDefinition",
		{ name: "CommentBlockObsidian", block: true, style: tags.comment },
	],
	parseInline: [
		{ name: "WikiLink", parse: when(bracket, wikilink), before: "Link" },
		{ name: "WikiEmbed", parse: when(bang, wikilink), before: "Image" },
		{ name: "FootnoteRef", parse: when(bracket, footnoteRef), before: "Link" },
		{ name: "Hashtag", parse: when(hash, hashtag) },
		{ name: "ObsidianComment", parse: when(percent, inlineComment) },
		{ name: "Math", parse: when(dollar, inlineMath) },
	],
	parseBlock: [
		{
			name: "FootnoteDefinition",
			before: "LinkReference",
			parse(cx, line) {
				if (!/^\[\^[^\]\s]+\]:/.test(line.text.slice(line.pos))) return false;
				const from = cx.lineStart + line.pos;
				const to = cx.lineStart + line.text.length;
				const inside = cx.parser.parseInline(line.text.slice(line.pos), from);
				cx.addElement(cx.elt("FootnoteDefinition", from, to, inside));
				cx.nextLine();
				return true;
			},
		},
		{
			name: "CommentBlockObsidian",
			before: "FencedCode",
			parse(cx, line) {
				const text = line.text.slice(line.pos);
				if (!text.startsWith("%%") || text.slice(2).includes("%%")) return false;
				const from = cx.lineStart + line.pos;
				while (cx.nextLine() && !line.text.includes("%%")) continue;
				const to = cx.lineStart + line.text.length;
				cx.addElement(cx.elt("CommentBlockObsidian", from, to));
				cx.nextLine();
				return true;
			},
		},
	],
};

export const noteParser = parser.configure([GFM, obsidianSyntax]);

/** For the editor: front matter is one block and not a heading. (The metadata parser cuts it off before it parses.) */
export const frontMatterSyntax: MarkdownConfig = {
	defineNodes: [{ name: "FrontMatter", block: true, style: tags.meta }],
	parseBlock: [
		{
			name: "FrontMatter",
			before: "HorizontalRule",
			parse(cx, line) {
				if (cx.lineStart !== 0 || !/^---[ \t]*$/.test(line.text)) return false;
				while (cx.nextLine()) {
					if (!/^---[ \t]*$/.test(line.text)) continue;
					cx.addElement(cx.elt("FrontMatter", 0, cx.lineStart + line.text.length));
					cx.nextLine();
					return true;
				}
				// Never closed: the rest of the note is shown as properties, as in the app.
				cx.addElement(cx.elt("FrontMatter", 0, cx.prevLineEnd()));
				return true;
			},
		},
	],
};
