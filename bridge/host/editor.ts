import { MarkdownView, type App } from "obsidian";
import type { Host } from "../client";
import { viewsOf } from "./open-notes";

/**
 * The note that the person works on: the active one, or, while the panel has
 * the focus, the one that had it last.
 */
export function activeNote(app: App): MarkdownView | null {
	const active = app.workspace.getActiveViewOfType(MarkdownView);
	if (active) return active;
	const recent = app.workspace.getMostRecentLeaf()?.view;
	if (recent instanceof MarkdownView) return recent;
	// The panel may have a window of its own, and be the most recent there is.
	return viewsOf(app, app.workspace.getActiveFile()?.path ?? "")[0] ?? null;
}

/** The active note's editor. Writes to it are vault.apply on its path. */
export function editorHost(app: App): Pick<Host, "editor.state"> {
	return {
		"editor.state": async () => {
			const view = activeNote(app);
			const none = { line: 0, ch: 0 };
			if (!view?.file) return { path: "", selection: { from: none, to: none }, text: "" };
			const { editor } = view;
			const { line, ch } = editor.getCursor("from");
			const to = editor.getCursor("to");
			return {
				path: view.file.path,
				selection: { from: { line, ch }, to: { line: to.line, ch: to.ch } },
				text: editor.getSelection(),
			};
		},
	};
}
