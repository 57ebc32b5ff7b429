// Marks in the editor of a difference: characters that would not be seen, and
// lines with what may run by itself.

import { EditorState, RangeSetBuilder, type Extension } from "@codemirror/state";
import {
	Decoration,
	type DecorationSet,
	type EditorView,
	EditorView as View,
	ViewPlugin,
	type ViewUpdate,
	WidgetType,
} from "@codemirror/view";
import { t } from "../../../../i18n";
import type { Alert } from "../../../protocol";
import { marksIn, pieces } from "../../../text/marks";

class MarkWidget extends WidgetType {
	constructor(readonly label: string) {
		super();
	}

	override eq(other: MarkWidget): boolean {
		return other.label === this.label;
	}

	toDOM(): HTMLElement {
		return markElement(this.label);
	}

	override ignoreEvent(): boolean {
		return false;
	}
}

function markElement(label: string): HTMLElement {
	return createDiv().createSpan({
		cls: "ea-mark",
		text: label,
		attr: { title: t("panel.mark", { character: label }) },
	});
}

/** Draws what is marked in the lines in sight, and in the lines that were taken out. */
export const textMarks: Extension = ViewPlugin.fromClass(
	class {
		decorations: DecorationSet;

		constructor(view: EditorView) {
			this.decorations = decorate(view);
			// The first drawing is no update.
			view.requestMeasure({ read: () => null, write: () => this.docViewUpdate(view) });
		}

		update(update: ViewUpdate): void {
			if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
		}

		// Lines that were taken out are drawn by the merge package, as they are.
		docViewUpdate(view: EditorView): void {
			for (const line of view.contentDOM.querySelectorAll<HTMLElement>(".cm-deletedChunk")) markNodes(line);
		}
	},
	{ decorations: (plugin) => plugin.decorations },
);

function decorate(view: EditorView): DecorationSet {
	const builder = new RangeSetBuilder<Decoration>();
	const { doc } = view.state;
	let done = -1;
	for (const { from, to } of view.visibleRanges) {
		// Whole lines: a mark depends on what stands beside it.
		for (let line = doc.lineAt(from); ; line = doc.lineAt(line.to + 1)) {
			if (line.from > done) {
				const end = line.number < doc.lines && view.state.lineBreak === "\n" ? "\n" : "";
				for (const mark of marksIn(line.text + end)) {
					builder.add(
						line.from + mark.from,
						line.from + Math.min(mark.to, line.length),
						Decoration.replace({ widget: new MarkWidget(mark.label) }),
					);
				}
				done = line.from;
			}
			if (line.to >= to || line.number === doc.lines) break;
		}
	}
	return builder.finish();
}

/** Draws the marks in text that stands in the page already. */
function markNodes(root: HTMLElement): void {
	const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	const found: Text[] = [];
	while (walker.nextNode()) found.push(walker.currentNode as Text);
	for (const node of found) {
		if (node.parentElement?.closest(".ea-mark") || marksIn(node.data).length === 0) continue;
		const parts = pieces(node.data).flatMap(({ text, label }) => [
			...(text ? [text] : []),
			...(label ? [markElement(label)] : []),
		]);
		node.replaceWith(...parts);
	}
}

class AlertWidget extends WidgetType {
	constructor(private readonly words: string) {
		super();
	}

	override eq(other: AlertWidget): boolean {
		return other.words === this.words;
	}

	toDOM(): HTMLElement {
		return createDiv({ cls: "ea-alert", text: this.words });
	}
}

/** Says at its line what of the text may run or load by itself. */
export function lineAlerts(text: string, separator: string, alerts: readonly Alert[]): Extension {
	const { doc } = EditorState.create({ doc: text, extensions: EditorState.lineSeparator.of(separator) });
	const rows = alerts
		.filter(({ line }) => line > 0)
		.map(({ line, text: words }) => {
			const { from } = doc.line(Math.min(line, doc.lines));
			return Decoration.widget({ widget: new AlertWidget(t(words)), block: true, side: -1 }).range(from);
		});
	return View.decorations.of(Decoration.set(rows, true));
}
