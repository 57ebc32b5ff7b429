/** The layout as JSON in `workspace.json`: written a while after each change, restored at the next start. */
import type { WorkspaceSplit } from "./containers";
import type { ViewState } from "./leaf";
import type { Workspace } from "./workspace";
import { WorkspaceTabs } from "./tabs";

interface LeafLayout {
	id: string;
	type: "leaf";
	state: ViewState;
}

interface TabsLayout {
	id: string;
	type: "tabs";
	currentTab?: number;
	children: LeafLayout[];
}

interface SplitLayout {
	id: string;
	type: "split";
	collapsed?: boolean;
	children: TabsLayout[];
}

export interface Layout {
	main: SplitLayout;
	left: SplitLayout;
	right: SplitLayout;
	active: string | null;
	lastOpenFiles: string[];
}

/** What is on screen, as data. */
export function describeLayout(workspace: Workspace): Layout {
	return {
		main: describeSplit(workspace.rootSplit),
		left: { ...describeSplit(workspace.leftSplit), collapsed: workspace.leftSplit.collapsed },
		right: { ...describeSplit(workspace.rightSplit), collapsed: workspace.rightSplit.collapsed },
		active: workspace.activeLeaf?.id ?? null,
		lastOpenFiles: workspace.getLastOpenFiles(),
	};
}

function describeSplit(split: WorkspaceSplit): SplitLayout {
	const children = split.groups.map((tabs): TabsLayout => ({
		id: tabs.id,
		type: "tabs",
		currentTab: tabs.currentTab,
		children: tabs.leaves.map((leaf): LeafLayout => ({
			id: leaf.id,
			type: "leaf",
			state: { ...leaf.getViewState(), icon: leaf.getIcon(), title: leaf.getDisplayText() },
		})),
	}));
	return { id: split.id, type: "split", children };
}

/** Rebuilds the tabs; views that are not on screen stay deferred. Returns false for a layout it cannot read. */
export async function restoreLayout(workspace: Workspace, layout: Partial<Layout>): Promise<boolean> {
	if (!layout.main?.children) return false;
	workspace.clearLayout();
	await restoreSplit(workspace, workspace.rootSplit, layout.main);
	if (layout.left) await restoreSplit(workspace, workspace.leftSplit, layout.left);
	if (layout.right) await restoreSplit(workspace, workspace.rightSplit, layout.right);
	workspace.setLastOpenFiles(layout.lastOpenFiles ?? []);
	for (const [side, described] of [
		[workspace.leftSplit, layout.left],
		[workspace.rightSplit, layout.right],
	] as const) {
		if (described?.collapsed === false) side.expand();
		else side.collapse();
	}
	for (const group of workspace.rootSplit.groups) await group.currentLeaf?.loadIfDeferred();
	const active = layout.active ? workspace.getLeafById(layout.active) : null;
	if (active?.isVisible()) workspace.setActiveLeaf(active);
	return true;
}

async function restoreSplit(workspace: Workspace, split: WorkspaceSplit, layout: SplitLayout): Promise<void> {
	for (const group of layout.children) {
		if (group.type !== "tabs") continue;
		const tabs = new WorkspaceTabs(workspace);
		split.insertTabs(tabs);
		for (const described of group.children) {
			const leaf = workspace.createLeafInTabs(tabs, undefined, false);
			leaf.id = described.id;
			if (described.state.type !== "empty") await leaf.setDeferred(described.state);
			if (described.state.pinned) leaf.setPinned(true);
		}
		tabs.selectTabIndex(group.currentTab ?? 0);
	}
}
