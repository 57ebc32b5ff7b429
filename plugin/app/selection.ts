// Where the person selects text: in the main window, and in each popout window.

import type { Workspace } from "obsidian";

/**
 * Calls back when another note is in front, when its text or the selection in it changes, in whichever window that is.
 * Gives what ends that.
 */
export function watchSelection(workspace: Workspace, changed: () => void): () => void {
	const documents = new Set<Document>();
	const watch = (page: Document) => {
		documents.add(page);
		page.addEventListener("selectionchange", changed); // a second time is no other listener
	};
	const leave = (page: Document) => {
		documents.delete(page);
		page.removeEventListener("selectionchange", changed);
	};
	watch(workspace.containerEl.ownerDocument);
	workspace.iterateAllLeaves((leaf) => watch(leaf.view.containerEl.ownerDocument)); // popouts that are open already
	const refs = [
		workspace.on("active-leaf-change", changed),
		workspace.on("editor-change", changed),
		workspace.on("window-open", (_, popout) => watch(popout.document)),
		workspace.on("window-close", (_, popout) => {
			leave(popout.document);
			changed();
		}),
	];
	return () => {
		refs.forEach((ref) => workspace.offref(ref));
		documents.forEach(leave);
	};
}
