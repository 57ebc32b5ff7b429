import type { App } from "./app";
import { Component } from "./component";
import type { TFile } from "./files";
import { TFile as TFileClass } from "./files";
import { setIcon } from "./icons";
import type { Menu } from "./menu";
import type { Scope } from "./scope";
import { setTooltip } from "./tooltip";
import type { WorkspaceLeaf } from "./workspace/leaf";

export interface ViewStateResult {
	history: boolean;
}

/** What a leaf shows. */
export abstract class View extends Component {
	app: App;
	icon = "file";
	navigation = false;
	leaf: WorkspaceLeaf;
	containerEl: HTMLElement;
	scope: Scope | null = null;

	constructor(leaf: WorkspaceLeaf) {
		super();
		this.leaf = leaf;
		this.app = leaf.app;
		this.containerEl = createDiv("workspace-leaf-content");
	}

	abstract getViewType(): string;
	abstract getDisplayText(): string;

	/** Puts the view into its leaf and lets it open. */
	async open(parent: HTMLElement): Promise<void> {
		this.containerEl.dataset["type"] = this.getViewType();
		parent.replaceChildren(this.containerEl);
		await this.load();
		await this.onOpen();
	}

	/** Lets it close and takes it out. */
	async close(): Promise<void> {
		await this.onClose();
		this.unload();
		this.containerEl.remove();
	}

	protected async onOpen(): Promise<void> {
		return undefined;
	}

	protected async onClose(): Promise<void> {
		return undefined;
	}

	getState(): Record<string, unknown> {
		return {};
	}

	async setState(_state: unknown, _result: ViewStateResult): Promise<void> {
		return undefined;
	}

	getEphemeralState(): Record<string, unknown> {
		return {};
	}

	setEphemeralState(state: unknown): void {
		if ((state as { focus?: boolean } | null)?.focus)
			this.containerEl.find("textarea, input, [contenteditable=true]")?.focus();
	}

	getIcon(): string {
		return this.icon;
	}

	onResize(): void {
		return undefined;
	}

	onPaneMenu(_menu: Menu, _source: string): void {
		return undefined;
	}
}

/** A view with a header (title and actions) and a content element. */
export abstract class ItemView extends View {
	headerEl: HTMLElement;
	titleEl: HTMLElement;
	actionsEl: HTMLElement;
	contentEl: HTMLElement;

	constructor(leaf: WorkspaceLeaf) {
		super(leaf);
		this.headerEl = this.containerEl.createDiv("view-header");
		this.titleEl = this.headerEl.createDiv("view-header-title-container").createDiv("view-header-title");
		this.actionsEl = this.headerEl.createDiv("view-actions");
		this.contentEl = this.containerEl.createDiv("view-content");
	}

	override async open(parent: HTMLElement): Promise<void> {
		this.titleEl.setText(this.getDisplayText());
		await super.open(parent);
		this.titleEl.setText(this.getDisplayText());
	}

	addAction(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
		const action = createEl("button", { cls: "clickable-icon view-action", attr: { type: "button" } });
		setIcon(action, icon);
		setTooltip(action, title);
		action.addEventListener("click", (event) => callback(event));
		this.actionsEl.prepend(action);
		return action;
	}
}

/** What a leaf shows while its real view has not been needed yet. */
export class DeferredView extends View {
	constructor(
		leaf: WorkspaceLeaf,
		private readonly type: string,
		private readonly state: Record<string, unknown>,
		private readonly title: string,
		deferredIcon: string,
	) {
		super(leaf);
		this.icon = deferredIcon;
	}

	getViewType(): string {
		return this.type;
	}

	getDisplayText(): string {
		return this.title;
	}

	override getState(): Record<string, unknown> {
		return this.state;
	}
}

/** The view of nothing: a new tab. */
export class EmptyView extends ItemView {
	override icon = "file";

	getViewType(): string {
		return "empty";
	}

	getDisplayText(): string {
		return "New tab";
	}

	protected override async onOpen(): Promise<void> {
		this.contentEl.empty();
		const box = this.contentEl.createDiv("empty-state");
		box.createDiv({ cls: "empty-state-title", text: "No file is open" });
		const actions = box.createDiv("empty-state-action-list");
		for (const [id, text] of [
			["file-explorer:new-file", "Create new note"],
			["switcher:open", "Go to file"],
			["command-palette:open", "Show all commands"],
		] as const) {
			const button = actions.createEl("button", {
				cls: "empty-state-action",
				text,
				attr: { type: "button" },
			});
			button.addEventListener("click", () => this.app.commands.executeCommandById(id));
		}
	}
}

/** A view of one file. */
export abstract class FileView extends ItemView {
	allowNoFile = false;
	file: TFile | null = null;
	override navigation = true;

	override onload(): void {
		this.registerEvent(this.app.vault.on("delete", (entry: unknown) => void this.onFileGone(entry)));
		this.registerEvent(this.app.vault.on("rename", (entry: unknown) => void this.onFileMoved(entry)));
	}

	getDisplayText(): string {
		return this.file?.getShortName() ?? "No file";
	}

	override getState(): Record<string, unknown> {
		return this.file ? { file: this.file.path } : {};
	}

	override async setState(state: unknown, result: ViewStateResult): Promise<void> {
		const path = (state as { file?: unknown } | null)?.file;
		const file = typeof path === "string" ? this.app.vault.getFileByPath(path) : null;
		if (file !== this.file) await this.loadFile(file);
		await super.setState(state, result);
	}

	async loadFile(file: TFile | null): Promise<void> {
		if (this.file) {
			const before = this.file;
			await this.onUnloadFile(before);
		}
		this.file = file;
		if (file) await this.onLoadFile(file);
		this.titleEl.setText(this.getDisplayText());
		this.leaf.updateHeader();
	}

	async onLoadFile(_file: TFile): Promise<void> {
		return undefined;
	}

	async onUnloadFile(_file: TFile): Promise<void> {
		return undefined;
	}

	async onRename(_file: TFile): Promise<void> {
		this.titleEl.setText(this.getDisplayText());
		this.leaf.updateHeader();
	}

	canAcceptExtension(_extension: string): boolean {
		return false;
	}

	protected override async onClose(): Promise<void> {
		if (this.file) await this.onUnloadFile(this.file);
		this.file = null;
	}

	private async onFileGone(entry: unknown): Promise<void> {
		if (!this.file || entry !== this.file) return;
		this.file = null;
		if (!this.allowNoFile) await this.leaf.setViewState({ type: "empty" });
	}

	private async onFileMoved(entry: unknown): Promise<void> {
		if (entry instanceof TFileClass && entry === this.file) await this.onRename(entry);
	}
}

export abstract class EditableFileView extends FileView {}
