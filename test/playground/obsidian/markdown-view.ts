import { nameElement } from "./accessible-name";
import { openSearchPanel } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { App } from "./app";
import { CodeMirrorEditor, type Editor } from "./editor";
import { editorEditorField, noteExtensions, pluginExtensions } from "./editor-extensions";
import { editorText, minimalChange } from "./editor-text";
import type { TFile } from "./files";
import { setIcon } from "./icons";
import { MarkdownPreviewView } from "./preview";
import { Menu } from "./menu";
import { TextFileView } from "./text-file-view";
import { setTooltip } from "./tooltip";
import type { ViewStateResult } from "./view";
import type { WorkspaceLeaf } from "./workspace/leaf";

export interface MarkdownFileInfo {
	app: App;
	file: TFile | null;
	editor?: Editor;
	hoverPopover: unknown;
}

export interface MarkdownSubView {
	getScroll(): number;
	applyScroll(scroll: number): void;
	get(): string;
	set(data: string, clear: boolean): void;
}

/** The source side of a note. */
export class MarkdownEditView implements MarkdownSubView {
	hoverPopover: unknown = null;

	constructor(readonly view: MarkdownView) {}

	get app(): App {
		return this.view.app;
	}

	get file(): TFile | null {
		return this.view.file;
	}

	get editor(): Editor {
		return this.view.editor;
	}

	clear(): void {
		this.view.clear();
	}

	get(): string {
		return this.view.getViewData();
	}

	set(data: string, clear: boolean): void {
		this.view.setViewData(data, clear);
	}

	getSelection(): string {
		return this.view.editor.getSelection();
	}

	getScroll(): number {
		return this.view.editor.getScrollInfo().top;
	}

	applyScroll(scroll: number): void {
		this.view.editor.scrollTo(null, scroll);
	}
}

/** A note: CodeMirror for its source, a renderer for reading. */
export class MarkdownView extends TextFileView implements MarkdownFileInfo {
	override icon = "file-text";
	editor: Editor;
	previewMode: MarkdownPreviewView;
	editMode: MarkdownEditView;
	currentMode: MarkdownSubView;
	hoverPopover: unknown = null;
	private readonly cm: EditorView;
	private readonly sourceEl: HTMLElement;
	private readonly modeButton: HTMLElement;
	private filling = false;

	constructor(leaf: WorkspaceLeaf) {
		super(leaf);
		this.sourceEl = this.contentEl.createDiv(
			"markdown-source-view cm-s-obsidian mod-cm6 is-readable-line-width",
		);
		this.cm = new EditorView({ parent: this.sourceEl });
		this.editor = new CodeMirrorEditor(this.cm);
		this.editMode = new MarkdownEditView(this);
		this.previewMode = new MarkdownPreviewView(this.contentEl.createDiv("markdown-reading-view"), this);
		this.previewMode.containerEl.hide();
		this.currentMode = this.editMode;
		this.modeButton = this.addAction(
			"book-open",
			"Current view: editing. Click to read",
			() => void this.toggleMode(),
		);
		this.fill("", true);
	}

	getViewType(): string {
		return "markdown";
	}

	getMode(): "source" | "preview" {
		return this.currentMode === this.previewMode ? "preview" : "source";
	}

	getViewData(): string {
		return this.cm.state.sliceDoc();
	}

	setViewData(data: string, clear: boolean): void {
		this.fill(data, clear);
		if (this.getMode() === "preview") this.previewMode.set(data, clear);
	}

	clear(): void {
		this.previewMode.clear();
	}

	showSearch(_replace = false): void {
		openSearchPanel(this.cm);
	}

	override canAcceptExtension(extension: string): boolean {
		return extension === "md";
	}

	override getState(): Record<string, unknown> {
		return { ...super.getState(), mode: this.getMode(), source: true };
	}

	override async setState(state: unknown, result: ViewStateResult): Promise<void> {
		await super.setState(state, result);
		const mode = (state as { mode?: unknown } | null)?.mode;
		if (mode === "preview" || mode === "source") this.setMode(mode);
	}

	override getEphemeralState(): Record<string, unknown> {
		return { cursor: { from: this.editor.getCursor("from"), to: this.editor.getCursor("to") } };
	}

	override setEphemeralState(state: unknown): void {
		const { line, subpath, focus } = (state ?? {}) as { line?: number; subpath?: string; focus?: boolean };
		const target = line ?? (subpath ? this.lineOfSubpath(subpath) : undefined);
		if (target !== undefined) {
			const at = { line: target, ch: 0 };
			this.editor.setCursor(at);
			this.editor.scrollIntoView({ from: at, to: at }, true);
		}
		if (focus && this.getMode() === "source") this.editor.focus();
	}

	override onload(): void {
		super.onload();
		this.registerEvent(this.app.workspace.on("editor-extensions-changed", () => this.updateExtensions()));
	}

	protected override async onOpen(): Promise<void> {
		await super.onOpen();
		this.onResize();
	}

	override onunload(): void {
		this.cm.destroy();
	}

	override onResize(): void {
		const page = this.containerEl.ownerDocument;
		if (this.cm.root !== page) this.cm.setRoot(page); // it was moved to another window
		this.cm.requestMeasure();
	}

	override onPaneMenu(menu: Menu): void {
		menu.addItem((item) =>
			item
				.setTitle("Reading view")
				.setIcon("book-open")
				.setChecked(this.getMode() === "preview")
				.onClick(() => void this.toggleMode()),
		);
		if (this.file) this.app.workspace.trigger("file-menu", menu, this.file, "more-options", this.leaf);
	}

	/** Switches between editing and reading. */
	async toggleMode(): Promise<void> {
		this.setMode(this.getMode() === "source" ? "preview" : "source");
	}

	private setMode(mode: "source" | "preview"): void {
		const reading = mode === "preview";
		if (reading) this.previewMode.set(this.getViewData(), false);
		this.currentMode = reading ? this.previewMode : this.editMode;
		this.sourceEl.toggle(!reading);
		this.previewMode.containerEl.toggle(reading);
		setIcon(this.modeButton, reading ? "pencil" : "book-open");
		setTooltip(
			this.modeButton,
			reading ? "Current view: reading. Click to edit" : "Current view: editing. Click to read",
		);
		this.app.workspace.trigger("layout-change");
	}

	private updateExtensions(): void {
		this.cm.dispatch({ effects: pluginExtensions.reconfigure(this.app.workspace.editorExtensions) });
	}

	private fill(data: string, fresh: boolean): void {
		this.filling = true;
		if (fresh) this.cm.setState(this.newState(data));
		else {
			const change = minimalChange(this.getViewData(), editorText(data));
			if (change) this.cm.dispatch({ changes: change, userEvent: "set" });
		}
		this.filling = false;
		nameElement(this.cm.contentDOM, "Note");
	}

	private newState(data: string): EditorState {
		const extensions: Extension[] = [
			noteExtensions(
				this,
				this.app.workspace.editorExtensions,
				(byPerson) => this.textChanged(byPerson),
				this.handlers(),
			),
			editorEditorField.init(() => this.cm),
		];
		return EditorState.create({ doc: data, extensions });
	}

	private handlers(): Extension {
		return EditorView.domEventHandlers({
			contextmenu: (event) => {
				const menu = new Menu();
				this.app.workspace.fillEditorMenu(menu, this.editor);
				this.app.workspace.trigger("editor-menu", menu, this.editor, this);
				menu.showAtMouseEvent(event);
				return true;
			},
			paste: (event) => {
				this.app.workspace.trigger("editor-paste", event, this.editor, this);
				return event.defaultPrevented;
			},
			drop: (event) => {
				this.app.workspace.trigger("editor-drop", event, this.editor, this);
				return event.defaultPrevented;
			},
			click: (event) => this.followLink(event),
		});
	}

	/** Ctrl or Cmd and a click on a link opens it. */
	private followLink(event: MouseEvent): boolean {
		if (!(event.ctrlKey || event.metaKey)) return false;
		const offset = this.cm.posAtCoords({ x: event.clientX, y: event.clientY });
		if (offset === null) return false;
		const { line, ch } = this.editor.offsetToPos(offset);
		for (const match of this.editor.getLine(line).matchAll(/\[\[([^\]|]+)(?:\|[^\]]*)?\]\]/g)) {
			if (ch < match.index || ch > match.index + match[0].length) continue;
			void this.app.workspace.openLinkText(match[1] ?? "", this.file?.path ?? "", false);
			return true;
		}
		return false;
	}

	private textChanged(byPerson: boolean): void {
		if (!this.filling && byPerson) this.markDirty();
		this.app.workspace.trigger("editor-change", this.editor, this);
	}

	private lineOfSubpath(subpath: string): number | undefined {
		const cache = this.file ? this.app.metadataCache.getFileCache(this.file) : null;
		if (subpath.startsWith("#^")) return cache?.blocks?.[subpath.slice(2).toLowerCase()]?.position.start.line;
		const wanted = subpath.split("#").at(-1)?.trim().toLowerCase();
		return cache?.headings?.find(({ heading }) => heading.toLowerCase() === wanted)?.position.start.line;
	}
}
