import { nameElement } from "../accessible-name";
import { WorkspaceParent } from "./item";
import { WorkspaceTabs } from "./tabs";
import type { Workspace } from "./workspace";

/** Tab groups beside each other. */
export class WorkspaceSplit extends WorkspaceParent {
	containerEl = createDiv("workspace-split mod-vertical");

	get groups(): WorkspaceTabs[] {
		return this.children as WorkspaceTabs[];
	}

	insertTabs(tabs: WorkspaceTabs, index = this.children.length): void {
		this.children.splice(index, 0, tabs);
		tabs.parent = this;
		this.containerEl.insertBefore(tabs.containerEl, this.containerEl.children[index] ?? null);
	}

	removeTabs(tabs: WorkspaceTabs): void {
		const index = this.groups.indexOf(tabs);
		if (index < 0) return;
		this.children.splice(index, 1);
		tabs.parent = null;
		tabs.containerEl.remove();
	}
}

/** A split that belongs to a window. */
export abstract class WorkspaceContainer extends WorkspaceSplit {
	abstract win: Window;
	abstract doc: Document;
}

/** The main area. */
export class WorkspaceRoot extends WorkspaceContainer {
	win = window;
	doc = document;

	constructor(workspace: Workspace) {
		super(workspace);
		this.containerEl.addClass("mod-root");
	}
}

/** What both kinds of sidebar can do. */
abstract class Sidebar extends WorkspaceSplit {
	collapsed = true;

	constructor(
		workspace: Workspace,
		readonly side: "left" | "right",
	) {
		super(workspace);
		this.containerEl.addClass(`mod-${side}-split`);
		this.containerEl.setAttribute("role", "complementary");
		nameElement(this.containerEl, side === "left" ? "Left sidebar" : "Right sidebar");
	}

	toggle(): void {
		if (this.collapsed) this.expand();
		else this.collapse();
	}

	expand(): void {
		this.set(false);
		for (const group of this.groups) void group.currentLeaf?.loadIfDeferred();
	}

	collapse(): void {
		this.set(true);
	}

	protected set(collapsed: boolean): void {
		this.collapsed = collapsed;
		this.containerEl.toggleClass("is-sidedock-collapsed", collapsed);
		this.containerEl.toggle(!collapsed);
		document.body.toggleClass(`is-${this.side}-sidebar-open`, !collapsed);
		this.workspace.onLayoutChange();
		this.workspace.trigger("resize");
	}
}

/** A sidebar of the desktop app. */
export class WorkspaceSidedock extends Sidebar {
	constructor(workspace: Workspace, side: "left" | "right") {
		super(workspace, side);
		this.containerEl.addClass("mod-sidedock");
	}
}

/** A drawer of the phone app: it lies over the note, and opening one closes the other. */
export class WorkspaceMobileDrawer extends Sidebar {
	constructor(workspace: Workspace, side: "left" | "right") {
		super(workspace, side);
		this.containerEl.addClass("workspace-drawer");
	}

	protected override set(collapsed: boolean): void {
		const other = this.side === "left" ? this.workspace.rightSplit : this.workspace.leftSplit;
		if (!collapsed && other && !other.collapsed) other.collapse();
		super.set(collapsed);
	}
}

/** Holds the popout windows. */
export class WorkspaceFloating extends WorkspaceParent {
	containerEl = createDiv();

	get windows(): WorkspaceWindow[] {
		return this.children as WorkspaceWindow[];
	}
}

/** A popout window of the desktop app: tab groups in a window of their own. */
export class WorkspaceWindow extends WorkspaceContainer {
	readonly doc: Document;

	constructor(
		workspace: Workspace,
		readonly win: Window,
	) {
		super(workspace);
		this.doc = win.document;
		this.containerEl.addClass("mod-root");
	}

	override getRoot(): WorkspaceWindow {
		return this;
	}
}
