import { Events } from "../events";
import type { Workspace } from "./workspace";
import type { WorkspaceLeaf } from "./leaf";

/** A node of the layout. */
export abstract class WorkspaceItem extends Events {
	id = Math.random().toString(16).slice(2, 18).padEnd(16, "0");
	parent: WorkspaceParent | null = null;
	abstract containerEl: HTMLElement;

	constructor(readonly workspace: Workspace) {
		super();
	}

	/** The outermost split: the main area, one of the sidebars, or a popout window. */
	getRoot(): WorkspaceItem {
		return this.parent ? this.parent.getRoot() : this;
	}

	/** The split of the window that it is in. */
	getContainer(): WorkspaceItem {
		const root = this.getRoot();
		return this.workspace.floatingSplit.children.includes(root) ? root : this.workspace.rootSplit;
	}
}

export abstract class WorkspaceParent extends WorkspaceItem {
	children: WorkspaceItem[] = [];

	/** Every leaf below, in the order of the screen; stops where the callback returns true. */
	eachLeaf(callback: (leaf: WorkspaceLeaf) => unknown): void {
		for (const child of this.children.slice()) {
			if (child instanceof WorkspaceParent) child.eachLeaf(callback);
			else callback(child as WorkspaceLeaf);
		}
	}
}
