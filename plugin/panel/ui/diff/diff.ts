// A file's diff on Obsidian's own CodeMirror: two columns where there is room,
// one where there is not.

import { getChunks, getOriginalDoc, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers, WidgetType } from "@codemirror/view";
import { t } from "../../../../i18n";
import type { FileView } from "../../../protocol";
import { chunkLines, fold, folds, type Shown } from "./collapse";
import { lineAlerts, textMarks } from "./diff-marks";
import { placeHunks, turnRound, type PlacedHunk } from "./hunks";

/** How a diff is shown. */
export interface DiffOptions {
	/** Side by side; otherwise one column with deletions above additions. */
	wide: boolean;
	/** The text after can be changed. */
	editing: boolean;
	/** Every hunk has a button to reject or accept it. */
	hunks: boolean;
	/** Called with the indexes of all hunks that are rejected now. */
	onhunks: (rejected: number[]) => void;
	/** Called after each edit with a way to read the text, with the line ends that it had. */
	onedit?: (read: () => string) => void;
}

/** A diff in an element. Long texts are drawn by the line that is in sight. */
export class DiffView {
	private readonly editor: EditorView;
	private readonly close: () => void;

	constructor(parent: HTMLElement, view: FileView, options: DiffOptions) {
		if (view.before === "" || (view.after === "" && !options.editing)) {
			const editor = new EditorView({ parent, ...whole(view, options) });
			this.editor = editor;
			this.close = () => editor.destroy();
			return;
		}
		const after = [...look(t("panel.diff.after", { path: view.path }), view.after), ...access(options)];
		if (!options.editing) after.push(lineAlerts(view.after, lineBreak(view.after), view.alerts ?? []));
		const press = (index: number) => options.onhunks(turnRound(view, index));
		if (options.hunks) after.push(hunkRows(view.after, placeHunks(view), (placed) => placed.line, press));
		if (options.wide) {
			const before = [...look(t("panel.diff.before", { path: view.path }), view.before), ...access()];
			// The same rows on both sides keep the lines beside each other.
			if (options.hunks) before.push(hunkRows(view.before, placeHunks(view), (h) => h.hunk.beforeFrom, null));
			const merge = new MergeView({
				parent,
				a: { doc: view.before, extensions: before },
				b: { doc: view.after, extensions: after },
				gutter: true,
			});
			const shown = chunkLines(merge.chunks, merge.a.state.doc, merge.b.state.doc);
			const lines = { a: merge.a.state.doc.lines, b: merge.b.state.doc.lines };
			fold(
				[
					{ view: merge.a, side: "a" },
					{ view: merge.b, side: "b" },
				],
				folds(withLeftOut(shown, view), lines),
			);
			this.editor = merge.b;
			this.close = () => merge.destroy();
			return;
		}
		const unified = unifiedMergeView({
			original: view.before,
			mergeControls: false,
			gutter: true,
			syntaxHighlightDeletions: false,
		});
		this.editor = new EditorView({ parent, doc: view.after, extensions: [after, unified] });
		if (!options.editing) {
			const { doc } = this.editor.state;
			const before = getOriginalDoc(this.editor.state);
			const shown = chunkLines(getChunks(this.editor.state)?.chunks ?? [], before, doc);
			fold(
				[{ view: this.editor, side: "b" }],
				folds(withLeftOut(shown, view), { a: before.lines, b: doc.lines }),
			);
		}
		this.close = () => this.editor.destroy();
	}

	/** How many lines lie below what is in sight of the box. */
	below(): number {
		const { scroller, editor } = this;
		const bottom = scroller.getBoundingClientRect().top + scroller.clientHeight - editor.documentTop;
		const { doc } = editor.state;
		if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) return 0;
		// A line that is cut by the fold is below it, too.
		return Math.max(1, doc.lines - doc.lineAt(editor.lineBlockAtHeight(bottom).from).number);
	}

	/** The element that scrolls. */
	get scroller(): HTMLElement {
		const { dom, scrollDOM } = this.editor;
		const around = dom.closest<HTMLElement>(".cm-mergeView");
		const boxes = around ? [around, dom, scrollDOM] : [dom, scrollDOM];
		return boxes.find((box) => box.scrollHeight > box.clientHeight + 1) ?? scrollDOM;
	}

	/** The text after, as it stands, with the line ends that it had. */
	text(): string {
		return this.editor.state.sliceDoc();
	}

	destroy(): void {
		this.close();
	}
}

/** The shown part of a file: its changes, and the hunks that were left out, which change nothing. */
function withLeftOut(shown: readonly Shown[], view: FileView): Shown[] {
	const leftOut = placeHunks(view).flatMap(({ hunk, line }) => {
		if (!hunk.rejected) return [];
		const stays = (hunk.removed ?? []).length;
		const [fromA, fromB] = [hunk.beforeFrom + 1, line + 1];
		return [{ fromA, toA: fromA + stays, fromB, toB: fromB + stays }];
	});
	return [...shown, ...leftOut].sort((x, y) => x.fromB - y.fromB);
}

/**
 * A text that is all new, or all gone. There is nothing to compare it with: the
 * merge view would show a line that was taken out of an empty file.
 */
function whole(view: FileView, options: DiffOptions): { doc: string; extensions: Extension[] } {
	const added = view.before === "";
	const label = t(added ? "panel.diff.after" : "panel.diff.before", { path: view.path });
	const doc = added ? view.after : view.before;
	const mark = EditorView.editorAttributes.of({ class: added ? "ea-all-added" : "ea-all-removed" });
	const alerts = added && !options.editing ? lineAlerts(doc, lineBreak(doc), view.alerts ?? []) : [];
	return { doc, extensions: [...look(label, doc), ...access(options), mark, alerts] };
}

/** Whether a text can be changed, and who hears of it; without options it cannot. */
function access(options?: DiffOptions): Extension[] {
	if (!options?.editing) return [EditorState.readOnly.of(true), EditorView.editable.of(false)];
	const listen = EditorView.updateListener.of(({ docChanged, state }) => {
		if (docChanged) options.onedit?.(() => state.sliceDoc());
	});
	return [listen];
}

// Colours are the app's own variables, so that every theme fits.
const theme = EditorView.theme({
	"&": { fontSize: "var(--font-ui-small)", backgroundColor: "transparent", color: "var(--text-normal)" },
	"&.cm-focused": { outline: "2px solid var(--background-modifier-border-focus)" },
	".cm-scroller": { fontFamily: "var(--font-monospace)", lineHeight: "1.5" },
	".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--text-muted)" },
	".cm-content": { caretColor: "var(--text-normal)" },
	"&.cm-merge-b .cm-changedLine, .cm-insertedLine, .cm-changedLine": {
		backgroundColor: "var(--ea-added-bg)",
	},
	"&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--ea-removed-bg)" },
	"&.cm-merge-b .cm-changedText, .cm-changedText": { background: "var(--ea-added-strong)" },
	"&.ea-all-added .cm-line": { backgroundColor: "var(--ea-added-bg)" },
	"&.ea-all-removed .cm-line": { backgroundColor: "var(--ea-removed-bg)" },
	"&.cm-merge-a .cm-changedText, .cm-deletedText": { background: "var(--ea-removed-strong)" },
	".cm-deletedChunk": { paddingInlineStart: "6px" },
	".cm-deletedLine, .cm-deletedLine del": { textDecoration: "none" },
	"&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--color-red)" },
	"&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter": { background: "var(--color-green)" },
});

function look(label: string, text: string): Extension[] {
	return [
		theme,
		EditorState.lineSeparator.of(lineBreak(text)),
		EditorView.lineWrapping,
		lineNumbers(),
		textMarks,
		EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
	];
}

/**
 * The line end to cut a text by, so that an edit changes no line that was not
 * touched. Where ends are mixed, a carriage return stays a character of its line.
 */
export function lineBreak(text: string): string {
	return text.includes("\r\n") && !/[^\r]\n|^\n|\r(?!\n)/.test(text) ? "\r\n" : "\n";
}

/** A row above each hunk: its button, or (press is null) only the button's room. */
function hunkRows(
	text: string,
	hunks: PlacedHunk[],
	lineOf: (placed: PlacedHunk) => number,
	press: ((index: number) => void) | null,
): Extension {
	const { doc } = EditorState.create({
		doc: text,
		extensions: EditorState.lineSeparator.of(lineBreak(text)),
	});
	const rows = hunks.map((placed) => {
		const at = doc.line(Math.min(lineOf(placed) + 1, doc.lines)).from;
		return Decoration.widget({ widget: new HunkButton(placed, press), block: true, side: -2 }).range(at);
	});
	return EditorView.decorations.of(Decoration.set(rows, true));
}

class HunkButton extends WidgetType {
	constructor(
		private readonly placed: PlacedHunk,
		private readonly press: ((index: number) => void) | null,
	) {
		super();
	}

	override eq(other: HunkButton): boolean {
		return (
			other.placed.index === this.placed.index && other.placed.hunk.rejected === this.placed.hunk.rejected
		);
	}

	toDOM(): HTMLElement {
		const { hunk } = this.placed;
		const row = createDiv({ cls: this.press ? "ea-hunk" : "ea-hunk is-ghost" });
		if (hunk.rejected) {
			const note = row.createSpan({ cls: "ea-hunk-note" });
			note.setText(t("panel.diff.rejected"));
			const added = (hunk.added ?? []).join("\n");
			if (added) row.createEl("del", { cls: "ea-hunk-text", text: added });
		}
		for (const keep of [true, false]) this.button(row, keep);
		return row;
	}

	/** One of the two answers about the hunk; the one that holds now is pressed. */
	private button(row: HTMLElement, keep: boolean): void {
		const { hunk, index } = this.placed;
		const holds = keep === !hunk.rejected;
		const button = row.createEl("button", {
			text: t(keep ? "panel.diff.keepHunk" : "panel.diff.rejectHunk"),
			attr: {
				type: "button",
				"data-hunk": `${index}${keep ? "+" : "-"}`,
				"aria-pressed": String(holds),
				"aria-label": t(keep ? "panel.diff.keepHunkN" : "panel.diff.rejectHunkN", { n: index + 1 }),
			},
		});
		button.addEventListener("click", () => {
			if (!holds) this.press?.(index);
		});
	}

	override ignoreEvent(): boolean {
		return true;
	}
}
