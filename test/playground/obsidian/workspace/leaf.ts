import type { App } from "../app";
import type { TFile } from "../files";
import { setIcon } from "../icons";
import { Menu } from "../menu";
import { DeferredView, EmptyView, FileView, type View } from "../view";
import { setTooltip } from "../tooltip";
import { WorkspaceItem } from "./item";
import type { WorkspaceTabs } from "./tabs";
import { UnknownView } from "./unknown-view";
import type { Workspace } from "./workspace";

export interface ViewState {
	type: string;
	state?: Record<string, unknown>;
	active?: boolean;
	pinned?: boolean;
	group?: WorkspaceLeaf;
	/** Kept in the layout so that a deferred view can show its tab. */
	icon?: string;
	title?: string;
}

export interface OpenViewState {
	state?: Record<string, unknown>;
	eState?: Record<string, unknown>;
	active?: boolean;
	group?: WorkspaceLeaf;
}

/** A tab: holds one view. */
export class WorkspaceLeaf extends WorkspaceItem {
	declare parent: WorkspaceTabs | null;
	app: App;
	containerEl = createDiv("workspace-leaf");
	tabHeaderEl: HTMLElement;
	hoverPopover: unknown = null;
	pinned = false;
	group: string | null = null;
	view: View;
	/** When it was last the active one; the most recent wins where a leaf is looked for. */
	activeTime = 0;
	private readonly iconEl: HTMLElement;
	private readonly titleEl: HTMLElement;

	constructor(workspace: Workspace) {
		super(workspace);
		this.app = workspace.app;
		this.tabHeaderEl = createDiv({
			cls: "workspace-tab-header tappable",
			attr: { role: "tab", tabindex: "-1", "aria-selected": "false" },
		});
		const inner = this.tabHeaderEl.createDiv("workspace-tab-header-inner");
		this.iconEl = inner.createDiv("workspace-tab-header-inner-icon");
		this.titleEl = inner.createDiv("workspace-tab-header-inner-title");
		const closeEl = inner.createDiv({
			cls: "workspace-tab-header-inner-close-button",
			attr: { "aria-hidden": "true" },
		});
		setIcon(closeEl, "x");
		closeEl.addEventListener("click", (event) => {
			event.stopPropagation();
			this.detach();
		});
		this.tabHeaderEl.addEventListener("click", () => void this.chooseTab());
		this.tabHeaderEl.addEventListener("auxclick", (event) => event.button === 1 && this.detach());
		this.tabHeaderEl.addEventListener("keydown", (event) => this.onTabKey(event));
		this.tabHeaderEl.addEventListener("contextmenu", (event) => this.showTabMenu(event));
		this.containerEl.addEventListener("focusin", () => workspace.setActiveLeaf(this));
		this.containerEl.addEventListener("mousedown", () => workspace.setActiveLeaf(this));
		this.view = new EmptyView(this);
		void this.view.open(this.containerEl);
		this.updateHeader();
	}

	async openFile(file: TFile, openState: OpenViewState = {}): Promise<void> {
		const type = this.workspace.viewTypeFor(file.extension);
		const viewState: ViewState = {
			type,
			state: { ...openState.state, file: file.path },
			active: openState.active ?? true,
		};
		await this.setViewState(viewState, openState.eState);
	}

	async open(view: View): Promise<View> {
		const before = this.view;
		await before.close();
		this.view = view;
		await view.open(this.containerEl);
		this.updateHeader();
		return view;
	}

	getViewState(): ViewState {
		const state: ViewState = { type: this.view.getViewType(), state: this.view.getState() };
		if (this.pinned) state.pinned = true;
		return state;
	}

	async setViewState(viewState: ViewState, eState?: unknown): Promise<void> {
		if (this.view.getViewType() !== viewState.type || this.isDeferred)
			await this.open(this.makeView(viewState.type));
		if (viewState.state) await this.view.setState(viewState.state, { history: false });
		if (viewState.pinned !== undefined) this.setPinned(viewState.pinned);
		if (eState !== undefined) this.view.setEphemeralState(eState);
		this.updateHeader();
		if (viewState.active) this.workspace.setActiveLeaf(this, { focus: true });
		this.workspace.onLayoutChange();
		if (this.workspace.activeLeaf === this) this.workspace.noteActiveFile();
	}

	/** Puts in place a view that is made only when it is first shown. */
	async setDeferred(viewState: ViewState): Promise<void> {
		const { type, state = {}, title = type, icon = "file" } = viewState;
		await this.open(new DeferredView(this, type, state, title, icon));
	}

	get isDeferred(): boolean {
		return this.view instanceof DeferredView;
	}

	async loadIfDeferred(): Promise<void> {
		if (!(this.view instanceof DeferredView)) return;
		const type = this.view.getViewType();
		const state = this.view.getState();
		await this.open(this.makeView(type));
		await this.view.setState(state, { history: false });
		this.updateHeader();
		this.workspace.onLayoutChange();
	}

	/** Replaces the view after its type was registered or unregistered. */
	async rebuildView(): Promise<void> {
		if (this.isDeferred) return;
		const state = this.view.getState();
		const type = this.view.getViewType();
		await this.open(this.makeView(type));
		await this.view.setState(state, { history: false });
		this.updateHeader();
	}

	getEphemeralState(): unknown {
		return this.view.getEphemeralState();
	}

	setEphemeralState(state: unknown): void {
		this.view.setEphemeralState(state);
	}

	togglePinned(): void {
		this.setPinned(!this.pinned);
	}

	setPinned(pinned: boolean): void {
		if (this.pinned === pinned) return;
		this.pinned = pinned;
		this.tabHeaderEl.toggleClass("is-pinned", pinned);
		this.trigger("pinned-change", pinned);
	}

	setGroupMember(other: WorkspaceLeaf): void {
		other.group ??= other.id;
		this.setGroup(other.group);
	}

	setGroup(group: string): void {
		this.group = group;
		this.trigger("group-change", group);
	}

	/** Closes the tab. */
	detach(): void {
		const parent = this.parent;
		if (!parent) return;
		parent.removeLeaf(this);
		void this.view.close();
		this.workspace.onLeafDetached(this);
	}

	getIcon(): string {
		return this.view.getIcon();
	}

	getDisplayText(): string {
		return this.view.getDisplayText();
	}

	onResize(): void {
		this.view.onResize();
	}

	isVisible(): boolean {
		return this.parent?.currentLeaf === this && this.containerEl.isShown();
	}

	/** Draws the tab's icon and title again. */
	updateHeader(): void {
		const text = this.getDisplayText();
		setIcon(this.iconEl, this.getIcon());
		this.titleEl.setText(text);
		setTooltip(this.tabHeaderEl, text);
	}

	private makeView(type: string): View {
		if (type === "empty") return new EmptyView(this);
		const creator = this.workspace.viewCreator(type);
		return creator ? creator(this) : new UnknownView(this, type);
	}

	private async chooseTab(): Promise<void> {
		this.parent?.selectLeaf(this);
		await this.loadIfDeferred();
		this.workspace.setActiveLeaf(this, { focus: true });
	}

	private onTabKey(event: KeyboardEvent): void {
		const leaves = this.parent?.leaves ?? [];
		const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		if (step !== 0) {
			const next = leaves[(leaves.indexOf(this) + step + leaves.length) % leaves.length];
			next?.tabHeaderEl.focus();
			void next?.chooseTab().then(() => next.tabHeaderEl.focus());
		} else if (event.key === "Enter" || event.key === " ") void this.chooseTab();
		else if (event.key === "Delete") this.detach();
		else return;
		event.preventDefault();
	}

	private showTabMenu(event: MouseEvent): void {
		const menu = new Menu();
		menu.addItem((item) =>
			item
				.setTitle("Close")
				.setIcon("x")
				.onClick(() => this.detach()),
		);
		menu.addItem((item) =>
			item
				.setTitle(this.pinned ? "Unpin" : "Pin")
				.setIcon("pin")
				.onClick(() => this.togglePinned()),
		);
		this.view.onPaneMenu(menu, "tab-header");
		if (this.view instanceof FileView && this.view.file)
			this.workspace.trigger("file-menu", menu, this.view.file, "tab-header", this);
		menu.showAtMouseEvent(event);
	}
}
