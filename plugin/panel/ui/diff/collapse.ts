// Folds away what a diff leaves as it is. The merge package can fold too, but
// hides the rows of hunks that were left out, and opens by mouse only.

import type { Chunk } from "@codemirror/merge";
import { StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { t } from "../../../../i18n";

/** Lines from 1 that are the same on both sides: where they begin, and how many. */
export interface Fold {
	a: number;
	b: number;
	count: number;
}

/** Lines from 1, [from, to) on each side, that stay in sight. */
export interface Shown {
	fromA: number;
	toA: number;
	fromB: number;
	toB: number;
}

const margin = 2;
const least = 5;

/**
 * The lines that may be folded between the parts that stay in sight (in order): all but
 * the nearest lines, where at least `least` are left. Lines are the lengths of
 * both texts.
 */
export function folds(shown: readonly Shown[], lines: { a: number; b: number }): Fold[] {
	const found: Fold[] = [];
	let [a, b] = [1, 1];
	const end = { fromA: lines.a + 1, toA: lines.a + 1, fromB: lines.b + 1, toB: lines.b + 1 };
	for (const part of [...shown, end]) {
		const above = b === 1 ? 0 : margin;
		const below = part === end ? 0 : margin;
		const count = part.fromB - b - above - below;
		if (count >= least) found.push({ a: a + above, b: b + above, count });
		[a, b] = [Math.max(a, part.toA), Math.max(b, part.toB)];
	}
	return found;
}

/** The lines of the merge package's chunks. */
export function chunkLines(chunks: readonly Chunk[], a: Text, b: Text): Shown[] {
	return chunks.map(({ fromA, toA, fromB, toB }) => ({
		fromA: lineOf(a, fromA),
		toA: lineOf(a, toA),
		fromB: lineOf(b, fromB),
		toB: lineOf(b, toB),
	}));
}

function lineOf(doc: Text, pos: number): number {
	return pos > doc.length ? doc.lines + 1 : doc.lineAt(pos).number;
}

const unfold = StateEffect.define<number>();

/** Folds the lines in every editor that shows a side; opening a fold opens it in all. */
export function fold(sides: { view: EditorView; side: "a" | "b" }[], found: readonly Fold[]): void {
	const open = (index: number, from: EditorView) => {
		for (const { view } of sides) view.dispatch({ effects: unfold.of(index) });
		from.focus();
	};
	for (const { view, side } of sides) {
		const rows = found.map((f, index) => {
			const { doc } = view.state;
			const [first, last] = [doc.line(f[side]), doc.line(f[side] + f.count - 1)];
			const widget = new FoldButton(index, f.count, open);
			return Decoration.replace({ widget, block: true }).range(first.from, last.to);
		});
		const field = StateField.define<DecorationSet>({
			create: () => Decoration.set(rows),
			update: (deco, change) =>
				change.effects.reduce(
					(left, effect) =>
						effect.is(unfold)
							? left.update({
									filter: (_f, _t, { spec }) => (spec as FoldSpec).widget.index !== effect.value,
								})
							: left,
					deco,
				),
			provide: (f) => EditorView.decorations.from(f),
		});
		view.dispatch({ effects: StateEffect.appendConfig.of(field) });
	}
}

interface FoldSpec {
	widget: FoldButton;
}

class FoldButton extends WidgetType {
	constructor(
		readonly index: number,
		private readonly count: number,
		private readonly open: (index: number, from: EditorView) => void,
	) {
		super();
	}

	override eq(other: FoldButton): boolean {
		return other.index === this.index && other.count === this.count;
	}

	toDOM(view: EditorView): HTMLElement {
		const row = createDiv({ cls: "ea-fold" });
		const button = row.createEl("button", {
			text: t("panel.diff.unchanged", { n: this.count }),
			attr: { type: "button" },
		});
		button.addEventListener("click", () => this.open(this.index, view));
		return row;
	}

	override ignoreEvent(): boolean {
		return true;
	}
}
