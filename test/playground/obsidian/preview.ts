import type { App } from "./app";
import type { TFile } from "./files";
import {
	createCodeBlockPostProcessor,
	registerPostProcessor,
	unregisterPostProcessor,
} from "./post-processors";
import { MarkdownRenderer } from "./renderer";
import { Component } from "./component";
import type { MarkdownView } from "./markdown-view";

/** Where post processors are registered for all rendered notes. */
export class MarkdownPreviewRenderer {
	static registerPostProcessor = registerPostProcessor;
	static unregisterPostProcessor = unregisterPostProcessor;
	static createCodeBlockPostProcessor = createCodeBlockPostProcessor;
}

/** The reading side of a note. */
export class MarkdownPreviewView extends MarkdownRenderer {
	app: App;
	private text = "";
	private drawing = 0;
	private content: Component | undefined;

	constructor(
		containerEl: HTMLElement,
		private readonly view: MarkdownView,
	) {
		super(containerEl);
		this.app = view.app;
	}

	get file(): TFile | null {
		return this.view.file;
	}

	get(): string {
		return this.text;
	}

	set(data: string, _clear: boolean): void {
		this.text = data;
		this.rerender();
	}

	clear(): void {
		this.text = "";
		this.containerEl.empty();
	}

	rerender(_full = false): void {
		void this.draw();
	}

	getScroll(): number {
		return this.containerEl.scrollTop;
	}

	applyScroll(scroll: number): void {
		this.containerEl.scrollTop = scroll;
	}

	private async draw(): Promise<void> {
		const drawing = ++this.drawing;
		this.content?.unload();
		const content = (this.content = new Component());
		await content.load();
		const page = createDiv("markdown-preview-view markdown-rendered is-readable-line-width");
		const sizer = page.createDiv("markdown-preview-sizer markdown-preview-section");
		if (this.file && this.app.vault.getConfig("showInlineTitle"))
			sizer.createDiv({ cls: "inline-title", text: this.file.basename });
		await MarkdownRenderer.render(this.app, this.text, sizer, this.file?.path ?? "", content);
		if (drawing === this.drawing) this.containerEl.replaceChildren(page);
	}
}
