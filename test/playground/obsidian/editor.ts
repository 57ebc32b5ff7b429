/** Obsidian's editor interface, and its implementation over CodeMirror 6. */
import {
	deleteLine,
	indentLess,
	indentMore,
	insertNewlineAndIndent,
	moveLineDown,
	moveLineUp,
	redo,
	undo,
	cursorCharLeft,
	cursorCharRight,
	cursorDocEnd,
	cursorDocStart,
	cursorGroupLeft,
	cursorGroupRight,
	cursorLineDown,
	cursorLineUp,
} from "@codemirror/commands";
import { foldAll, toggleFold, unfoldAll } from "@codemirror/language";
import {
	EditorSelection as Selection,
	type ChangeSpec,
	type SelectionRange,
	type TransactionSpec,
} from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export interface EditorPosition {
	line: number;
	ch: number;
}

export interface EditorRange {
	from: EditorPosition;
	to: EditorPosition;
}

export interface EditorRangeOrCaret {
	from: EditorPosition;
	to?: EditorPosition;
}

export interface EditorChange extends EditorRangeOrCaret {
	text: string;
}

export interface EditorSelectionOrCaret {
	anchor: EditorPosition;
	head?: EditorPosition;
}

export interface EditorTransaction {
	replaceSelection?: string;
	changes?: EditorChange[];
	selections?: EditorRangeOrCaret[];
	selection?: EditorRangeOrCaret;
}

/**
 * The commands package has a newer copy of `@codemirror/state` for its types; the build gives every package the
 * one copy that the app has (see `build.mjs`).
 */
type CommandTarget = Parameters<typeof undo>[0];
const commands: Record<string, (target: never) => boolean> = {
	goUp: cursorLineUp,
	goDown: cursorLineDown,
	goLeft: cursorCharLeft,
	goRight: cursorCharRight,
	goStart: cursorDocStart,
	goEnd: cursorDocEnd,
	goWordLeft: cursorGroupLeft,
	goWordRight: cursorGroupRight,
	indentMore,
	indentLess,
	newlineAndIndent: insertNewlineAndIndent,
	swapLineUp: moveLineUp,
	swapLineDown: moveLineDown,
	deleteLine,
	toggleFold,
	foldAll,
	unfoldAll,
};

/** Lines and columns count from 0, in UTF-16 units. Positions beyond the text are moved to its nearest end. */
export abstract class Editor {
	/** The CodeMirror view; not in the public typings, but what many plugins reach for. */
	abstract cm: EditorView;
	abstract refresh(): void;
	abstract getValue(): string;
	abstract setValue(content: string): void;
	abstract getLine(line: number): string;
	abstract lineCount(): number;
	abstract lastLine(): number;
	abstract getSelection(): string;
	abstract getRange(from: EditorPosition, to: EditorPosition): string;
	abstract replaceSelection(replacement: string, origin?: string): void;
	abstract replaceRange(
		replacement: string,
		from: EditorPosition,
		to?: EditorPosition,
		origin?: string,
	): void;
	abstract getCursor(side?: "from" | "to" | "head" | "anchor"): EditorPosition;
	abstract listSelections(): { anchor: EditorPosition; head: EditorPosition }[];
	abstract setSelection(anchor: EditorPosition, head?: EditorPosition): void;
	abstract setSelections(ranges: EditorSelectionOrCaret[], main?: number): void;
	abstract focus(): void;
	abstract blur(): void;
	abstract hasFocus(): boolean;
	abstract getScrollInfo(): { top: number; left: number };
	abstract scrollTo(x?: number | null, y?: number | null): void;
	abstract scrollIntoView(range: EditorRange, center?: boolean): void;
	abstract undo(): void;
	abstract redo(): void;
	abstract exec(command: string): void;
	abstract transaction(tx: EditorTransaction, origin?: string): void;
	abstract wordAt(pos: EditorPosition): EditorRange | null;
	abstract posToOffset(pos: EditorPosition): number;
	abstract offsetToPos(offset: number): EditorPosition;

	getDoc(): this {
		return this;
	}

	setLine(n: number, text: string): void {
		this.replaceRange(text, { line: n, ch: 0 }, { line: n, ch: this.getLine(n).length });
	}

	somethingSelected(): boolean {
		return this.listSelections().some(
			({ anchor, head }) => anchor.line !== head.line || anchor.ch !== head.ch,
		);
	}

	setCursor(pos: EditorPosition | number, ch?: number): void {
		this.setSelection(typeof pos === "number" ? { line: pos, ch: ch ?? 0 } : pos);
	}

	/** Reads every selected line (all lines where nothing is selected), then changes them in one transaction. */
	processLines<T>(
		read: (line: number, lineText: string) => T | null,
		write: (line: number, lineText: string, value: T | null) => EditorChange | void,
		ignoreEmpty = true,
	): void {
		const selected = this.listSelections();
		const lines = new Set<number>();
		for (const { anchor, head } of selected)
			for (let at = Math.min(anchor.line, head.line); at <= Math.max(anchor.line, head.line); at++)
				lines.add(at);
		const wanted = [...lines].filter(
			(line) => !(ignoreEmpty && lines.size > 1 && this.getLine(line).trim() === ""),
		);
		const values = wanted.map((line) => read(line, this.getLine(line)));
		const edits = wanted.map((line, index) => write(line, this.getLine(line), values[index] ?? null));
		this.transaction({ changes: edits.filter((edit): edit is EditorChange => edit !== undefined) });
	}
}

export class CodeMirrorEditor extends Editor {
	constructor(readonly cm: EditorView) {
		super();
	}

	refresh(): void {
		this.cm.requestMeasure();
	}

	getValue(): string {
		return this.cm.state.sliceDoc();
	}

	setValue(content: string): void {
		this.dispatch(
			{ changes: { from: 0, to: this.cm.state.doc.length, insert: this.text(content) } },
			"setValue",
		);
	}

	getLine(line: number): string {
		const { doc } = this.cm.state;
		return line < 0 || line >= doc.lines ? "" : doc.line(line + 1).text;
	}

	lineCount(): number {
		return this.cm.state.doc.lines;
	}

	lastLine(): number {
		return this.lineCount() - 1;
	}

	getSelection(): string {
		const { main } = this.cm.state.selection;
		return this.cm.state.sliceDoc(main.from, main.to);
	}

	getRange(from: EditorPosition, to: EditorPosition): string {
		return this.cm.state.sliceDoc(this.posToOffset(from), this.posToOffset(to));
	}

	replaceSelection(replacement: string, origin?: string): void {
		this.dispatch(
			{ ...this.cm.state.replaceSelection(this.text(replacement)), scrollIntoView: true },
			origin,
		);
	}

	replaceRange(replacement: string, from: EditorPosition, to?: EditorPosition, origin?: string): void {
		const start = this.posToOffset(from);
		const end = to ? this.posToOffset(to) : start;
		this.dispatch({ changes: { from: start, to: end, insert: this.text(replacement) } }, origin);
	}

	getCursor(side: "from" | "to" | "head" | "anchor" = "head"): EditorPosition {
		return this.offsetToPos(this.cm.state.selection.main[side]);
	}

	listSelections(): { anchor: EditorPosition; head: EditorPosition }[] {
		return this.cm.state.selection.ranges.map((range) => ({
			anchor: this.offsetToPos(range.anchor),
			head: this.offsetToPos(range.head),
		}));
	}

	setSelection(anchor: EditorPosition, head?: EditorPosition): void {
		this.cm.dispatch({ selection: this.toRange({ anchor, head: head ?? anchor }) });
	}

	setSelections(ranges: EditorSelectionOrCaret[], main = 0): void {
		if (ranges.length === 0) return;
		this.cm.dispatch({
			selection: Selection.create(
				ranges.map((range) => this.toRange(range)),
				main,
			),
		});
	}

	focus(): void {
		this.cm.focus();
	}

	blur(): void {
		this.cm.contentDOM.blur();
	}

	hasFocus(): boolean {
		return this.cm.hasFocus;
	}

	getScrollInfo(): { top: number; left: number } {
		return { top: this.cm.scrollDOM.scrollTop, left: this.cm.scrollDOM.scrollLeft };
	}

	scrollTo(x?: number | null, y?: number | null): void {
		if (typeof x === "number") this.cm.scrollDOM.scrollLeft = x;
		if (typeof y === "number") this.cm.scrollDOM.scrollTop = y;
	}

	scrollIntoView(range: EditorRange, center = false): void {
		const target = Selection.range(this.posToOffset(range.from), this.posToOffset(range.to));
		this.cm.dispatch({ effects: EditorView.scrollIntoView(target, { y: center ? "center" : "nearest" }) });
	}

	undo(): void {
		undo(this.cm as unknown as CommandTarget);
	}

	redo(): void {
		redo(this.cm as unknown as CommandTarget);
	}

	exec(command: string): void {
		const run = commands[command];
		if (!run) throw new Error(`The playground does not implement the editor command "${command}".`);
		run(this.cm as never);
	}

	transaction(tx: EditorTransaction, origin?: string): void {
		const changes: ChangeSpec[] = (tx.changes ?? []).map(({ from, to, text }) => ({
			from: this.posToOffset(from),
			to: this.posToOffset(to ?? from),
			insert: this.text(text),
		}));
		if (tx.replaceSelection !== undefined) {
			const insert = this.text(tx.replaceSelection);
			for (const { from, to } of this.cm.state.selection.ranges) changes.push({ from, to, insert });
		}
		const spec: TransactionSpec = { changes };
		const wanted = tx.selections ?? (tx.selection ? [tx.selection] : undefined);
		if (wanted && wanted.length > 0) {
			// Selections are given in the text after the changes.
			const after = this.cm.state.changes(changes).apply(this.cm.state.doc);
			const offset = ({ line, ch }: EditorPosition): number => {
				const at = after.line(Math.min(Math.max(line + 1, 1), after.lines));
				return Math.min(at.from + Math.max(ch, 0), at.to);
			};
			spec.selection = Selection.create(
				wanted.map(({ from, to }) => Selection.range(offset(from), offset(to ?? from))),
			);
		}
		this.dispatch(spec, origin);
	}

	wordAt(pos: EditorPosition): EditorRange | null {
		const word = this.cm.state.wordAt(this.posToOffset(pos));
		return word && { from: this.offsetToPos(word.from), to: this.offsetToPos(word.to) };
	}

	posToOffset({ line, ch }: EditorPosition): number {
		const { doc } = this.cm.state;
		if (line < 0) return 0;
		if (line >= doc.lines) return doc.length;
		const at = doc.line(line + 1);
		return Math.min(at.from + Math.max(ch, 0), at.to);
	}

	offsetToPos(offset: number): EditorPosition {
		const { doc } = this.cm.state;
		const inside = Math.min(Math.max(offset, 0), doc.length);
		const line = doc.lineAt(inside);
		return { line: line.number - 1, ch: inside - line.from };
	}

	private text(text: string): ReturnType<EditorView["state"]["toText"]> {
		return this.cm.state.toText(text);
	}

	private toRange({ anchor, head }: EditorSelectionOrCaret): SelectionRange {
		return Selection.range(this.posToOffset(anchor), this.posToOffset(head ?? anchor));
	}

	private dispatch(spec: TransactionSpec, origin?: string): void {
		this.cm.dispatch(origin === undefined ? spec : { ...spec, userEvent: origin });
	}
}
