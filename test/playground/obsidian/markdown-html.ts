/** Markdown to clean HTML: marked for the Markdown, DOMPurify for the cleaning, wikilinks and the rest on top. */
import DOMPurify from "dompurify";
import { Marked, type Tokens, type TokenizerAndRendererExtension } from "marked";
import { parseLinktext } from "./paths";

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const wikilink: TokenizerAndRendererExtension = {
	name: "wikilink",
	level: "inline",
	start: (source) => source.search(/!?\[\[/),
	tokenizer(source) {
		const match = /^(!?)\[\[([^\]\n|]+)(?:\|([^\]\n]*))?\]\]/.exec(source);
		if (!match) return undefined;
		return {
			type: "wikilink",
			raw: match[0],
			embed: match[1] === "!",
			target: match[2]?.trim(),
			alias: match[3],
		};
	},
	renderer(token) {
		const target = String(token["target"]);
		const alias = token["alias"] as string | undefined;
		const { path, subpath } = parseLinktext(target);
		const shown =
			alias ??
			(subpath
				? [path, ...subpath.split("#").filter((part) => part !== "")]
						.filter((part) => part !== "")
						.join(" > ")
				: target);
		if (token["embed"])
			return `<span class="internal-embed" src="${escapeHtml(target)}" alt="${escapeHtml(alias ?? target)}"></span>`;
		const href = escapeHtml(target);
		return `<a class="internal-link" data-href="${href}" href="${href}">${escapeHtml(shown)}</a>`;
	},
};

const tag: TokenizerAndRendererExtension = {
	name: "tag",
	level: "inline",
	start: (source) => source.search(/(^|\s)#[^\s#]/),
	tokenizer(source) {
		const match = /^#((?=[^\s#]*[^\s#\d])[\p{L}\p{N}\p{Emoji}_\-/]+)/u.exec(source);
		return match ? { type: "tag", raw: match[0] } : undefined;
	},
	renderer: ({ raw }) => `<a class="tag" href="${escapeHtml(raw)}">${escapeHtml(raw)}</a>`,
};

const highlight: TokenizerAndRendererExtension = {
	name: "highlight",
	level: "inline",
	start: (source) => source.indexOf("=="),
	tokenizer(source) {
		const match = /^==(?=\S)([\s\S]*?\S)==/.exec(source);
		if (!match) return undefined;
		return { type: "highlight", raw: match[0], tokens: this.lexer.inlineTokens(match[1] ?? "") };
	},
	renderer(token) {
		return `<mark>${this.parser.parseInline(token.tokens ?? [])}</mark>`;
	},
};

const comment: TokenizerAndRendererExtension = {
	name: "comment",
	level: "inline",
	start: (source) => source.indexOf("%%"),
	tokenizer(source) {
		const match = /^%%[\s\S]*?%%/.exec(source);
		return match ? { type: "comment", raw: match[0] } : undefined;
	},
	renderer: () => "",
};

const marked = new Marked({ gfm: true, breaks: true });
marked.use({
	extensions: [wikilink, tag, highlight, comment],
	renderer: {
		link(token: Tokens.Link) {
			const text = this.parser.parseInline(token.tokens);
			const external = /^[a-z][a-z\d+.-]*:/i.test(token.href);
			if (external)
				return `<a class="external-link" href="${escapeHtml(token.href)}" rel="noopener nofollow" target="_blank">${text}</a>`;
			const href = escapeHtml(safeDecode(token.href));
			return `<a class="internal-link" data-href="${href}" href="${href}">${text}</a>`;
		},
		image(token: Tokens.Image) {
			if (/^[a-z][a-z\d+.-]*:/i.test(token.href))
				return `<img src="${escapeHtml(token.href)}" alt="${escapeHtml(token.text)}">`;
			return `<span class="internal-embed" src="${escapeHtml(safeDecode(token.href))}" alt="${escapeHtml(token.text)}"></span>`;
		},
		checkbox: ({ checked }) =>
			`<input class="task-list-item-checkbox" type="checkbox"${checked ? " checked" : ""}>`,
	},
});

function safeDecode(href: string): string {
	try {
		return decodeURIComponent(href);
	} catch {
		// A stray percent sign: the text is meant as it stands.
		return href;
	}
}

/** The note's body (front matter removed by the caller) as a cleaned fragment. */
export function markdownToDom(source: string): DocumentFragment {
	const html = marked.parse(source, { async: false });
	return sanitizeHTMLToDom(html);
}

/** HTML without scripts, handlers, and other ways to run code. */
export function sanitizeHTMLToDom(html: string): DocumentFragment {
	return DOMPurify.sanitize(html, {
		RETURN_DOM_FRAGMENT: true,
		ADD_ATTR: ["target", "data-href", "src"],
		FORBID_TAGS: ["style", "form"],
		ALLOW_UNKNOWN_PROTOCOLS: true,
	});
}
