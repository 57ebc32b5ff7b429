// Notes that are open in an editor. Autosave comes seconds after the last
// keystroke, so an open note can hold text that is not on disk yet.
import { MarkdownView, type App, type TFile } from "obsidian";
import { fail } from "../problem";
import type { Selection } from "../protocol.gen";
import { BOM, decode, difference, lines } from "./text";
import { waitUntil } from "./turns";

/** The views of notes; deferred ones hold no text. */
function noteViews(app: App): MarkdownView[] {
	const all = app.workspace.getLeavesOfType("markdown").map((leaf) => leaf.view);
	return all.filter((view) => view instanceof MarkdownView);
}

/** The views in which a file is open. */
export function viewsOf(app: App, path: string): MarkdownView[] {
	return noteViews(app).filter((view) => view.file?.path === path);
}

/** The paths of the notes that an editor holds. */
export function openNotes(app: App): string[] {
	return [...new Set(noteViews(app).flatMap((view) => view.file?.path ?? []))];
}

/**
 * The view that holds text that is not on disk, if there is one. The app's own
 * mark is not in its public interface; without it the texts are compared.
 */
export function dirtyView(views: MarkdownView[], disk: ArrayBuffer): MarkdownView | undefined {
	return views.find((view) => {
		const { dirty } = view as { dirty?: unknown };
		if (typeof dirty === "boolean") return dirty;
		const text = decode(disk);
		return text !== null && lines(view.getViewData()) !== lines(text.replace(BOM, ""));
	});
}

/** Says whether the editor can write the file without touching its line ends or its BOM. */
export function editorKeeps(disk: ArrayBuffer): boolean {
	const bytes = new Uint8Array(disk);
	return !(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) && !bytes.includes(13);
}

/**
 * Writes through the editor, as one change that its own undo takes back, and
 * waits until it is on disk.
 */
export async function writeThroughEditor(
	app: App,
	view: MarkdownView,
	file: TFile,
	after: string,
	caret?: Selection,
): Promise<void> {
	const { editor } = view;
	const before = view.getViewData();
	const change = (now: string, next: string) => {
		const { from, to, text } = difference(now, next);
		const changes = [{ from: editor.offsetToPos(from), to: editor.offsetToPos(to), text }];
		editor.transaction({ changes }, "embedded-agent");
	};
	change(before, after);
	if (caret) editor.setSelection(caret.from, caret.to);
	try {
		await view.save();
		const disk = decode(await app.vault.readBinary(file));
		if (disk !== after) throw fail("CONFLICT", "error.vault.notSaved", { path: file.path });
	} catch (error) {
		// Shown but not saved, it would be saved later, by whatever the person types
		// next, when the write counts as not made. What they typed meanwhile stays.
		if (view.getViewData() === after) change(after, before);
		throw error;
	}
}

const SETTLE_MS = 2_000;

/** Waits until the views show what was written past them. */
export async function settle(views: MarkdownView[], after: string): Promise<void> {
	const want = lines(after.replace(BOM, ""));
	const there = (view: MarkdownView) =>
		view.file === null || lines(view.getViewData().replace(BOM, "")) === want;
	await waitUntil(() => views.every(there), SETTLE_MS);
}
