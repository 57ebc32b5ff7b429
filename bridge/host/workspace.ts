import { FileView, type App, type WorkspaceLeaf } from "obsidian";
import type { Host } from "../client";
import { fail } from "../problem";
import { fileAt } from "./paths";

type WorkspaceMethods = "workspace.context" | "workspace.open" | "workspace.focus";

/** The panes. `panelType` is the view type of the plugin's own panel. */
export function workspaceHost(app: App, panelType: string): Pick<Host, WorkspaceMethods> {
	return {
		"workspace.context": async () => ({
			activePath: app.workspace.getActiveFile()?.path ?? "",
			viewType: app.workspace.getMostRecentLeaf()?.view.getViewType() ?? "",
			openPaths: openPaths(app),
		}),
		"workspace.open": async ({ path, newPane }) => {
			const file = fileAt(app.vault, path);
			await app.workspace.getLeaf(newPane ? "split" : false).openFile(file);
			return {};
		},
		"workspace.focus": async ({ pane }) => {
			const leaf = leafOf(app, pane, panelType);
			if (!leaf) throw fail("PRECONDITION_FAILED", "error.workspace.pane", { pane });
			await app.workspace.revealLeaf(leaf);
			app.workspace.setActiveLeaf(leaf, { focus: true });
			return {};
		},
	};
}

function openPaths(app: App): string[] {
	const paths = new Set<string>();
	const sides: unknown[] = [app.workspace.leftSplit, app.workspace.rightSplit];
	app.workspace.iterateAllLeaves((leaf) => {
		if (sides.includes(leaf.getRoot())) return; // what is there follows a note that is open elsewhere
		// A leaf that was not looked at yet has no view, but its state names the file.
		const file = leaf.view instanceof FileView ? leaf.view.file?.path : leaf.getViewState().state?.file;
		if (typeof file === "string") paths.add(file);
	});
	return [...paths];
}

function leafOf(app: App, pane: string, panelType: string): WorkspaceLeaf | null | undefined {
	const { workspace } = app;
	const panes = new Map<string, () => WorkspaceLeaf | null | undefined>([
		["editor", () => workspace.getMostRecentLeaf()],
		["left", () => firstIn(app, workspace.leftSplit)],
		["right", () => firstIn(app, workspace.rightSplit)],
		["panel", () => workspace.getLeavesOfType(panelType)[0]],
	]);
	return panes.get(pane)?.();
}

function firstIn(app: App, split: unknown): WorkspaceLeaf | undefined {
	let found: WorkspaceLeaf | undefined;
	app.workspace.iterateAllLeaves((leaf) => {
		if (!found && leaf.getRoot() === split) found = leaf;
	});
	return found;
}
