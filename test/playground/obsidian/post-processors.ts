/** What plugins do to rendered notes. */
import type { MarkdownRenderChild } from "./render-child";

export interface MarkdownPostProcessorContext {
	docId: string;
	sourcePath: string;
	frontmatter: unknown;
	addChild(child: MarkdownRenderChild): void;
	getSectionInfo(el: HTMLElement): { text: string; lineStart: number; lineEnd: number } | null;
}

export interface MarkdownPostProcessor {
	(el: HTMLElement, ctx: MarkdownPostProcessorContext): Promise<unknown> | void;
	sortOrder?: number;
}

const processors: MarkdownPostProcessor[] = [];

export function registerPostProcessor(processor: MarkdownPostProcessor, sortOrder?: number): void {
	if (sortOrder !== undefined) processor.sortOrder = sortOrder;
	processors.push(processor);
	processors.sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
}

export function unregisterPostProcessor(processor: MarkdownPostProcessor): void {
	processors.remove(processor);
}

/** A processor that hands the source of each code block of a language to `handler`, in place of the block. */
export function createCodeBlockPostProcessor(
	language: string,
	handler: (source: string, el: HTMLElement, ctx: MarkdownPostProcessorContext) => Promise<unknown> | void,
): MarkdownPostProcessor {
	return async (el, ctx) => {
		for (const code of el.querySelectorAll(`pre > code.language-${CSS.escape(language)}`)) {
			const box = createDiv(`block-language-${language}`);
			code.parentElement?.replaceWith(box);
			await handler((code.textContent ?? "").replace(/\n$/, ""), box, ctx);
		}
	};
}

/** Runs them all, in their order. */
export async function runPostProcessors(el: HTMLElement, ctx: MarkdownPostProcessorContext): Promise<void> {
	for (const processor of processors) await processor(el, ctx);
}
