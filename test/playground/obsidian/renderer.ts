/** `MarkdownRenderer`: Markdown into an element, with links, embeds, callouts and post processors. */
import type { App } from "./app";
import type { Component } from "./component";
import type { TFile } from "./files";
import { setIcon } from "./icons";
import { markdownToDom } from "./markdown-html";
import { parseLinktext } from "./paths";
import { runPostProcessors, type MarkdownPostProcessorContext } from "./post-processors";
import { MarkdownRenderChild } from "./render-child";
import { getFrontMatterInfo } from "./yaml";

/** Notes inside notes stop here. */
const embedDepth = 5;
const images = new Set(["png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif"]);

export abstract class MarkdownRenderer extends MarkdownRenderChild {
	hoverPopover: unknown = null;
	abstract app: App;
	abstract get file(): TFile | null;

	/** Deprecated in the app in favour of `render`; the app it belongs to is the only one there is. */
	static renderMarkdown(
		markdown: string,
		el: HTMLElement,
		sourcePath: string,
		component: Component,
	): Promise<void> {
		return MarkdownRenderer.render(window.app, markdown, el, sourcePath, component);
	}

	static async render(
		app: App,
		markdown: string,
		el: HTMLElement,
		sourcePath: string,
		component: Component,
	): Promise<void> {
		await renderInto(app, markdown, el, sourcePath, component, 0);
	}
}

declare global {
	interface Window {
		/** As in the app, plugins and people in the console find it here. */
		app: App;
	}
}

async function renderInto(
	app: App,
	markdown: string,
	el: HTMLElement,
	sourcePath: string,
	component: Component,
	depth: number,
): Promise<void> {
	const info = getFrontMatterInfo(markdown);
	const box = createDiv();
	box.append(markdownToDom(markdown.slice(info.contentStart)));
	decorateCallouts(box);
	decorateLinks(app, box, sourcePath);
	await fillEmbeds(app, box, sourcePath, component, depth);
	const context: MarkdownPostProcessorContext = {
		docId: sourcePath,
		sourcePath,
		frontmatter: app.metadataCache.getCache(sourcePath)?.frontmatter,
		addChild: (child) => void component.addChild(child),
		getSectionInfo: () => null,
	};
	await runPostProcessors(box, context);
	el.append(...box.childNodes);
}

function decorateLinks(app: App, box: HTMLElement, sourcePath: string): void {
	for (const link of box.querySelectorAll<HTMLElement>("a.internal-link")) {
		const target = link.dataset["href"] ?? "";
		const { path } = parseLinktext(target);
		const resolved = path === "" || app.metadataCache.getFirstLinkpathDest(path, sourcePath) !== null;
		link.toggleClass("is-unresolved", !resolved);
		link.addEventListener("click", (event) => {
			event.preventDefault();
			void app.workspace.openLinkText(target, sourcePath, event.ctrlKey || event.metaKey ? "tab" : false);
		});
	}
	for (const tag of box.querySelectorAll("a.tag"))
		tag.addEventListener("click", (event) => event.preventDefault());
}

async function fillEmbeds(
	app: App,
	box: HTMLElement,
	sourcePath: string,
	component: Component,
	depth: number,
): Promise<void> {
	for (const embed of box.querySelectorAll<HTMLElement>("span.internal-embed")) {
		const source = embed.getAttribute("src") ?? "";
		const file = app.metadataCache.getFirstLinkpathDest(parseLinktext(source).path, sourcePath);
		if (!file) {
			embed.addClass("file-embed", "mod-empty");
			embed.setText(`"${source}" could not be found.`);
		} else if (images.has(file.extension)) {
			embed.addClass("media-embed", "image-embed", "is-loaded");
			embed.createEl("img", {
				attr: { src: app.vault.getResourcePath(file), alt: embed.getAttribute("alt") ?? "" },
			});
		} else if (file.extension === "md" && depth < embedDepth) {
			embed.addClass("markdown-embed", "is-loaded");
			embed.createDiv({ cls: "embed-title", text: file.basename });
			const content = embed.createDiv("markdown-embed-content");
			await renderInto(app, await app.vault.cachedRead(file), content, file.path, component, depth + 1);
		} else {
			embed.addClass("file-embed");
			embed.setText(file.name);
		}
	}
}

/** `> [!note] Title` becomes a callout. */
function decorateCallouts(box: HTMLElement): void {
	for (const quote of box.querySelectorAll("blockquote")) {
		const first = quote.firstElementChild;
		const text = first?.firstChild;
		const match = /^\[!([\w-]+)\]([+-]?)[ \t]*(.*)/.exec(text?.textContent ?? "");
		if (!first || !text || !match) continue;
		const type = (match[1] ?? "note").toLowerCase();
		text.textContent = (text.textContent ?? "").slice(match[0].length);
		const callout = createDiv({ cls: "callout", attr: { "data-callout": type } });
		const title = callout.createDiv("callout-title");
		setIcon(title.createDiv("callout-icon"), "info");
		title.createDiv({
			cls: "callout-title-inner",
			text: match[3] || type.charAt(0).toUpperCase() + type.slice(1),
		});
		if (first.querySelector("br") && (text.textContent ?? "") === "") first.querySelector("br")?.remove();
		if ((first.textContent ?? "").trim() === "" && first.children.length === 0) first.remove();
		callout.createDiv("callout-content").append(...quote.childNodes);
		quote.replaceWith(callout);
	}
}
