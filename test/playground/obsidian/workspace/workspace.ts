import type { Extension } from "@codemirror/state";
import type { App } from "../app";
import { debounce } from "../debounce";
import { Events } from "../events";
import type { Editor } from "../editor";
import { TFile } from "../files";
import { MarkdownView, type MarkdownFileInfo } from "../markdown-view";
import type { Menu } from "../menu";
import { Tasks } from "../tasks";
import { parseLinktext } from "../paths";
import { Platform } from "../platform";
import { FileView, type View } from "../view";
import {
	WorkspaceFloating,
	WorkspaceMobileDrawer,
	WorkspaceRoot,
	WorkspaceSidedock,
	WorkspaceWindow,
	type WorkspaceSplit,
} from "./containers";
import type { WorkspaceParent } from "./item";
import { describeLayout, restoreLayout, type Layout } from "./layout";
import { WorkspaceLeaf, type OpenViewState } from "./leaf";
import { closePopout, followFocus, openPopout, type WorkspaceWindowInitData } from "./popouts";
import { WorkspaceRibbon } from "./ribbon";
import { WorkspaceTabs } from "./tabs";

export type ViewCreator = (leaf: WorkspaceLeaf) => View;
export type PaneType = "tab" | "split" | "window";
type Side = "left" | "right";
type Constructor<T> = abstract new (...args: never[]) => T;

/** How long after a change of layout it is written, in ms. */
const layoutSaveMs = 1000;

export class Workspace extends Events {
	containerEl: HTMLElement;
	leftRibbon: WorkspaceRibbon;
	rightRibbon: WorkspaceRibbon;
	rootSplit: WorkspaceRoot;
	leftSplit: WorkspaceSidedock | WorkspaceMobileDrawer;
	rightSplit: WorkspaceSidedock | WorkspaceMobileDrawer;
	floatingSplit: WorkspaceFloating;
	activeLeaf: WorkspaceLeaf | null = null;
	activeEditor: MarkdownFileInfo | null = null;
	layoutReady = false;
	/** What plugins registered; the same array that open editors are given. */
	editorExtensions: Extension[] = [];
	/** Handlers of `obsidian://` addresses, by action. */
	protocolHandlers = new Map<string, (params: Record<string, string>) => unknown>();
	requestSaveLayout = debounce(() => this.saveLayout(), layoutSaveMs, true);
	private readonly readyCallbacks: (() => unknown)[] = [];
	private readonly creators = new Map<string, ViewCreator>();
	private readonly extensionTypes = new Map<string, string>();
	private lastFile: TFile | null = null;
	private recentFiles: string[] = [];

	constructor(
		readonly app: App,
		parent: HTMLElement,
	) {
		super();
		const Drawer = Platform.isMobile ? WorkspaceMobileDrawer : WorkspaceSidedock;
		this.containerEl = parent.createDiv("workspace");
		this.leftRibbon = new WorkspaceRibbon("left");
		this.rightRibbon = new WorkspaceRibbon("right");
		this.rootSplit = new WorkspaceRoot(this);
		this.leftSplit = new Drawer(this, "left");
		this.rightSplit = new Drawer(this, "right");
		this.floatingSplit = new WorkspaceFloating(this);
		followFocus(window);
		this.containerEl.append(
			this.leftRibbon.containerEl,
			this.leftSplit.containerEl,
			this.rootSplit.containerEl,
			this.rightSplit.containerEl,
		);
		this.ensureGroups();
	}

	onLayoutReady(callback: () => unknown): void {
		if (this.layoutReady) callback();
		else this.readyCallbacks.push(callback);
	}

	/** Restores the layout, then lets everyone know that the app is there. */
	async start(layout: Partial<Layout> | null): Promise<boolean> {
		const restored = layout !== null && (await restoreLayout(this, layout));
		this.ensureGroups();
		this.layoutReady = true;
		for (const callback of this.readyCallbacks.splice(0)) this.runReady(callback);
		this.trigger("layout-ready");
		this.onLayoutChange();
		return restored;
	}

	async changeLayout(layout: unknown): Promise<void> {
		await restoreLayout(this, layout as Partial<Layout>);
		this.ensureGroups();
	}

	getLayout(): Record<string, unknown> {
		return { ...describeLayout(this) };
	}

	/** Empties every split; the groups are made again by whoever needs them. */
	clearLayout(): void {
		this.iterateAllLeaves((leaf) => leaf.detach());
		for (const split of this.splits()) for (const group of split.groups.slice()) split.removeTabs(group);
	}

	/* Views */

	registerViewType(type: string, creator: ViewCreator): void {
		if (this.creators.has(type)) throw new Error(`Attempting to register an existing view type "${type}"`);
		this.creators.set(type, creator);
		for (const leaf of this.getLeavesOfType(type)) void leaf.rebuildView();
	}

	/** The leaves stay and show that their plugin is gone. */
	unregisterViewType(type: string): void {
		this.creators.delete(type);
		for (const leaf of this.getLeavesOfType(type)) void leaf.rebuildView();
	}

	viewCreator(type: string): ViewCreator | undefined {
		return this.creators.get(type);
	}

	registerExtensions(extensions: string[], type: string): void {
		for (const extension of extensions) {
			if (this.extensionTypes.has(extension))
				throw new Error(`Attempting to register an existing file extension "${extension}"`);
			this.extensionTypes.set(extension, type);
		}
	}

	unregisterExtensions(extensions: string[]): void {
		for (const extension of extensions) this.extensionTypes.delete(extension);
	}

	viewTypeFor(extension: string): string {
		return this.extensionTypes.get(extension) ?? "file";
	}

	/* Leaves */

	createLeafInTabs(tabs: WorkspaceTabs, index?: number, select = true): WorkspaceLeaf {
		const leaf = new WorkspaceLeaf(this);
		tabs.insertLeaf(leaf, index, select);
		this.onLayoutChange();
		return leaf;
	}

	createLeafInParent(parent: WorkspaceParent, index: number): WorkspaceLeaf {
		if (parent instanceof WorkspaceTabs) return this.createLeafInTabs(parent, index);
		const tabs = new WorkspaceTabs(this);
		(parent as WorkspaceRoot).insertTabs(tabs, index);
		return this.createLeafInTabs(tabs);
	}

	createLeafBySplit(
		leaf: WorkspaceLeaf,
		_direction: "vertical" | "horizontal" = "vertical",
		before = false,
	): WorkspaceLeaf {
		const tabs = leaf.parent;
		const split = tabs?.parent as WorkspaceRoot | null | undefined;
		if (!tabs || !split) return this.createLeafInParent(this.rootSplit, this.rootSplit.children.length);
		return this.createLeafInParent(split, split.groups.indexOf(tabs) + (before ? 0 : 1));
	}

	splitActiveLeaf(direction: "vertical" | "horizontal" = "vertical"): WorkspaceLeaf {
		return this.createLeafBySplit(this.mostRecentRootLeaf(), direction);
	}

	async duplicateLeaf(
		leaf: WorkspaceLeaf,
		leafType: PaneType | boolean | "vertical" | "horizontal" = true,
	): Promise<WorkspaceLeaf> {
		const direction = leafType === "vertical" || leafType === "horizontal";
		const copy = direction ? this.createLeafBySplit(leaf) : this.getLeaf(leafType);
		await copy.setViewState({ ...leaf.getViewState(), active: true });
		return copy;
	}

	getUnpinnedLeaf(): WorkspaceLeaf {
		const recent = this.mostRecentRootLeaf();
		return recent.pinned ? this.getLeaf("tab") : recent;
	}

	getLeaf(newLeaf: PaneType | boolean = false): WorkspaceLeaf {
		switch (newLeaf) {
			case false:
				return this.getUnpinnedLeaf();
			case "split":
				return this.splitActiveLeaf();
			case "window":
				return this.openPopoutLeaf();
			default: {
				const recent = this.mostRecentRootLeaf();
				const tabs = recent.parent as WorkspaceTabs;
				return this.createLeafInTabs(tabs, tabs.leaves.indexOf(recent) + 1);
			}
		}
	}

	/** A leaf alone in a popout window of its own. */
	openPopoutLeaf(data?: WorkspaceWindowInitData): WorkspaceLeaf {
		return this.createLeafInParent(openPopout(this, data), 0);
	}

	moveLeafToPopout(leaf: WorkspaceLeaf, data?: WorkspaceWindowInitData): WorkspaceWindow {
		const popout = openPopout(this, data);
		const tabs = new WorkspaceTabs(this);
		popout.insertTabs(tabs);
		leaf.parent?.removeLeaf(leaf);
		tabs.insertLeaf(leaf);
		this.ensureGroups();
		this.onLayoutChange();
		return popout;
	}

	/** Without a root: in the main area and in popout windows, not in the sidebars. */
	getMostRecentLeaf(root?: WorkspaceParent): WorkspaceLeaf | null {
		let found: WorkspaceLeaf | null = null;
		for (const one of root ? [root] : [this.rootSplit, this.floatingSplit])
			one.eachLeaf((leaf) => {
				if (!found || leaf.activeTime > found.activeTime) found = leaf;
			});
		return found;
	}

	getLeftLeaf(split: boolean): WorkspaceLeaf | null {
		return this.sideLeaf(this.leftSplit, split);
	}

	getRightLeaf(split: boolean): WorkspaceLeaf | null {
		return this.sideLeaf(this.rightSplit, split);
	}

	async ensureSideLeaf(
		type: string,
		side: Side,
		options: { active?: boolean; split?: boolean; reveal?: boolean; state?: Record<string, unknown> } = {},
	): Promise<WorkspaceLeaf> {
		const { active = true, split = false, reveal = true, state } = options;
		const sidebar = side === "left" ? this.leftSplit : this.rightSplit;
		let leaf = this.getLeavesOfType(type).find((one) => one.getRoot() === sidebar);
		if (!leaf) {
			leaf = this.sideLeaf(sidebar, split);
			await leaf.setViewState(state ? { type, state } : { type });
		}
		if (reveal) await this.revealLeaf(leaf);
		if (active) this.setActiveLeaf(leaf, { focus: true });
		return leaf;
	}

	getLeafById(id: string): WorkspaceLeaf | null {
		let found: WorkspaceLeaf | null = null;
		this.iterateAllLeaves((leaf) => {
			if (leaf.id === id) found = leaf;
		});
		return found;
	}

	getGroupLeaves(group: string): WorkspaceLeaf[] {
		const leaves: WorkspaceLeaf[] = [];
		this.iterateAllLeaves((leaf) => leaf.group === group && leaves.push(leaf));
		return leaves;
	}

	getLeavesOfType(type: string): WorkspaceLeaf[] {
		const leaves: WorkspaceLeaf[] = [];
		this.iterateAllLeaves((leaf) => leaf.view.getViewType() === type && leaves.push(leaf));
		return leaves;
	}

	detachLeavesOfType(type: string): void {
		for (const leaf of this.getLeavesOfType(type)) leaf.detach();
	}

	iterateRootLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
		this.rootSplit.eachLeaf(callback);
	}

	iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => unknown): void {
		for (const split of this.splits()) split.eachLeaf(callback);
	}

	async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
		const root = leaf.getRoot();
		if (root === this.leftSplit) this.leftSplit.expand();
		if (root === this.rightSplit) this.rightSplit.expand();
		if (root instanceof WorkspaceWindow) root.win.focus();
		leaf.parent?.selectLeaf(leaf);
		await leaf.loadIfDeferred();
	}

	setActiveLeaf(leaf: WorkspaceLeaf, params: { focus?: boolean } | boolean = {}, focus = false): void {
		const wantsFocus = typeof params === "object" ? params.focus === true : focus;
		leaf.activeTime = performance.now();
		leaf.parent?.selectLeaf(leaf);
		if (leaf.isDeferred) void leaf.loadIfDeferred();
		if (this.activeLeaf !== leaf) {
			this.activeLeaf?.containerEl.removeClass("mod-active");
			this.activeLeaf = leaf;
			leaf.containerEl.addClass("mod-active");
			this.trigger("active-leaf-change", leaf);
			this.requestSaveLayout();
		}
		this.noteActiveFile();
		if (wantsFocus) leaf.setEphemeralState({ focus: true });
	}

	getActiveViewOfType<T extends View>(type: Constructor<T>): T | null {
		const view = this.activeLeaf?.view;
		return view instanceof type ? view : null;
	}

	getActiveFile(): TFile | null {
		const view = this.activeLeaf?.view;
		if (view instanceof FileView) return view.file;
		return this.lastFile && !this.lastFile.deleted ? this.lastFile : null;
	}

	getLastOpenFiles(): string[] {
		return this.recentFiles.slice();
	}

	setLastOpenFiles(paths: string[]): void {
		this.recentFiles = paths.slice(0, 10);
	}

	async openLinkText(
		linktext: string,
		sourcePath: string,
		newLeaf: PaneType | boolean = false,
		state: OpenViewState = {},
	): Promise<void> {
		const { path, subpath } = parseLinktext(linktext);
		const target =
			path === ""
				? this.app.vault.getFileByPath(sourcePath)
				: this.app.metadataCache.getFirstLinkpathDest(path, sourcePath);
		const file = target ?? (await this.app.fileManager.createNewNote(path, sourcePath));
		await this.getLeaf(newLeaf).openFile(file, {
			...state,
			eState: subpath ? { subpath, ...state.eState } : (state.eState ?? {}),
		});
	}

	updateOptions(): void {
		this.trigger("editor-extensions-changed");
	}

	/** The entries that the app itself puts into the editor's menu. */
	fillEditorMenu(menu: Menu, editor: Editor): void {
		const selected = editor.somethingSelected();
		menu.addItem((item) =>
			item
				.setSection("clipboard")
				.setTitle("Cut")
				.setIcon("scissors")
				.setDisabled(!selected)
				.onClick(() => void this.copySelection(editor, true)),
		);
		menu.addItem((item) =>
			item
				.setSection("clipboard")
				.setTitle("Copy")
				.setIcon("copy")
				.setDisabled(!selected)
				.onClick(() => void this.copySelection(editor, false)),
		);
	}

	handleLinkContextMenu(menu: Menu, linktext: string, sourcePath: string): boolean {
		menu.addItem((item) =>
			item
				.setTitle("Open in new tab")
				.setIcon("file-plus")
				.onClick(() => void this.openLinkText(linktext, sourcePath, "tab")),
		);
		return true;
	}

	/** Tells everyone that the app is about to go, and saves what is not saved. Resolves when all work has ended. */
	quit(): Promise<void> {
		return (this.quitting ??= this.leave());
	}

	private quitting?: Promise<void>;

	private async leave(): Promise<void> {
		const tasks = new Tasks();
		this.trigger("quit", tasks);
		this.iterateAllLeaves((leaf) => {
			const { view } = leaf;
			if (view instanceof MarkdownView && view.dirty) tasks.add(() => view.save());
		});
		await tasks.promise();
	}

	/* What the parts of the workspace report */

	onLayoutChange(): void {
		if (!this.layoutReady) return;
		this.trigger("layout-change");
		this.requestSaveLayout();
	}

	onLeafDetached(leaf: WorkspaceLeaf): void {
		if (this.activeLeaf === leaf) {
			this.activeLeaf = null;
			const next = this.getMostRecentLeaf();
			if (next) this.setActiveLeaf(next);
		}
		if (this.activeEditor === (leaf.view as unknown)) this.activeEditor = null;
		if (this.layoutReady) this.ensureGroups();
		this.onLayoutChange();
	}

	/** Fires `file-open` when the active file is another one than before. */
	noteActiveFile(): void {
		const view = this.activeLeaf?.view;
		if (view instanceof MarkdownView) this.activeEditor = view;
		else if (this.activeLeaf?.getRoot() === this.activeLeaf?.getContainer()) this.activeEditor = null;
		const file = view instanceof FileView ? view.file : this.lastFile;
		if (file === this.lastFile) return;
		this.lastFile = file;
		if (file)
			this.recentFiles = [file.path, ...this.recentFiles.filter((path) => path !== file.path)].slice(0, 10);
		this.trigger("file-open", file);
	}

	private async copySelection(editor: Editor, cut: boolean): Promise<void> {
		await navigator.clipboard.writeText(editor.getSelection());
		if (cut) editor.replaceSelection("");
	}

	private mostRecentRootLeaf(): WorkspaceLeaf {
		this.ensureGroups();
		const recent = this.getMostRecentLeaf();
		// What has a window of its own and shows no file, as a plugin's panel, is not navigated away from.
		if (recent && (recent.getRoot() === this.rootSplit || recent.view.navigation)) return recent;
		return this.getMostRecentLeaf(this.rootSplit) as WorkspaceLeaf;
	}

	private sideLeaf(sidebar: WorkspaceSidedock | WorkspaceMobileDrawer, split: boolean): WorkspaceLeaf {
		const first = sidebar.groups[0];
		if (first && !split) return this.createLeafInTabs(first, undefined, false);
		return this.createLeafInParent(sidebar, sidebar.children.length);
	}

	private splits(): WorkspaceSplit[] {
		return [this.rootSplit, this.leftSplit, this.rightSplit, ...this.floatingSplit.windows];
	}

	/** The main area always has a tab; empty groups go, and popout windows without a group. */
	private ensureGroups(): void {
		for (const split of this.splits())
			for (const group of split.groups.slice()) if (group.children.length === 0) split.removeTabs(group);
		for (const popout of this.floatingSplit.windows)
			if (popout.children.length === 0) closePopout(this, popout);
		if (this.rootSplit.children.length === 0) this.createLeafInParent(this.rootSplit, 0);
	}

	private runReady(callback: () => unknown): void {
		try {
			callback();
		} catch (error) {
			// One plugin's failure must not keep the others from starting; it still surfaces as uncaught.
			setTimeout(() => {
				throw error;
			});
		}
	}

	private async saveLayout(): Promise<void> {
		if (!this.layoutReady) return;
		const name = Platform.isMobile ? "workspace-mobile.json" : "workspace.json";
		await this.app.vault.adapter.writeAsApp(
			`${this.app.vault.configDir}/${name}`,
			JSON.stringify(describeLayout(this), null, 2),
		);
	}
}
