import { setIcon } from "../icons";
import { WorkspaceParent } from "./item";
import type { WorkspaceLeaf } from "./leaf";
import type { Workspace } from "./workspace";

/** A group of tabs, one of which is shown. */
export class WorkspaceTabs extends WorkspaceParent {
	containerEl = createDiv("workspace-tabs mod-top");
	currentTab = 0;
	private readonly headersEl: HTMLElement;
	private readonly bodyEl: HTMLElement;

	constructor(workspace: Workspace) {
		super(workspace);
		const bar = this.containerEl.createDiv("workspace-tab-header-container");
		this.headersEl = bar.createDiv({
			cls: "workspace-tab-header-container-inner",
			attr: { role: "tablist" },
		});
		const newTab = bar.createEl("button", {
			cls: "workspace-tab-header-new-tab clickable-icon",
			attr: { type: "button", "aria-label": "New tab" },
		});
		setIcon(newTab, "plus");
		newTab.addEventListener("click", () => {
			const leaf = workspace.createLeafInTabs(this);
			workspace.setActiveLeaf(leaf, { focus: true });
		});
		this.bodyEl = this.containerEl.createDiv("workspace-tab-container");
	}

	get leaves(): WorkspaceLeaf[] {
		return this.children as WorkspaceLeaf[];
	}

	get currentLeaf(): WorkspaceLeaf | undefined {
		return this.leaves[this.currentTab];
	}

	/** Adds a tab; `select` shows it. */
	insertLeaf(leaf: WorkspaceLeaf, index = this.children.length, select = true): void {
		this.children.splice(index, 0, leaf);
		leaf.parent = this;
		this.headersEl.insertBefore(leaf.tabHeaderEl, this.headersEl.children[index] ?? null);
		this.bodyEl.append(leaf.containerEl);
		if (select || this.children.length === 1) this.selectLeaf(leaf);
		else this.update();
	}

	removeLeaf(leaf: WorkspaceLeaf): void {
		const index = this.leaves.indexOf(leaf);
		if (index < 0) return;
		this.children.splice(index, 1);
		leaf.parent = null;
		leaf.tabHeaderEl.remove();
		leaf.containerEl.remove();
		if (this.currentTab >= index && this.currentTab > 0) this.currentTab--;
		this.update();
	}

	selectLeaf(leaf: WorkspaceLeaf): void {
		const index = this.leaves.indexOf(leaf);
		if (index < 0) return;
		this.currentTab = index;
		this.update();
		leaf.onResize();
	}

	selectTabIndex(index: number): void {
		const leaf = this.leaves[index];
		if (leaf) this.selectLeaf(leaf);
	}

	private update(): void {
		const current = this.currentLeaf;
		for (const leaf of this.leaves) {
			const shown = leaf === current;
			leaf.containerEl.toggle(shown);
			leaf.tabHeaderEl.toggleClass("is-active", shown);
			leaf.tabHeaderEl.setAttrs({ "aria-selected": shown, tabindex: shown ? 0 : -1 });
		}
	}
}
