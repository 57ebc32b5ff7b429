// What a plan found, as it is shown: sentences, and tables in the order that the
// person wants.

import { number, order, t } from "../../../../i18n";
import type { Finding, FindingCell, FindingColumn, FindingsNote } from "../../../protocol";
import { list } from "../../reducer";

/** A row of a table, with its place in the plan's own order. */
export interface Row {
	readonly cells: readonly FindingCell[];
	readonly place: number;
}

/** A column that rows are sorted by, and whether they are turned round. */
export interface Sorting {
	readonly column: number;
	readonly down: boolean;
}

/** The sentence of a finding: the plan's own, with the number that was counted, or ours. */
export const said = (of: Finding): string =>
	of.words ? of.words.replaceAll("{n}", number(of.count)) : t(of.text);

/** The name of a column: ours, or that of a property. */
export const labelOf = ({ label, name }: FindingColumn): string => (label ? t(label) : name);

/** The next way to sort by a column: up, down, and as the plan has it. */
export function next(by: Sorting | null, column: number): Sorting | null {
	if (by?.column !== column) return { column, down: false };
	return by.down ? null : { column, down: true };
}

/** The rows in an order. Rows that are alike, and empty cells, stay as they were, the empty ones last. */
export function sorted(of: Finding, by: Sorting | null): readonly Row[] {
	const rows = list(of.rows).map((cells, place) => ({ cells, place }));
	const column = by && list(of.columns)[by.column];
	if (!by || !column) return rows;
	const words = order();
	const compare = (a: FindingCell, b: FindingCell): number =>
		column.kind === "number"
			? Number(a.text) - Number(b.text)
			: words(a.text, b.text) || (a.line ?? 0) - (b.line ?? 0);
	const empty = { text: "" };
	return rows.sort((one, other) => {
		const [a, b] = [one.cells[by.column] ?? empty, other.cells[by.column] ?? empty];
		if (a.text === "" || b.text === "") return Number(a.text === "") - Number(b.text === "");
		return by.down ? compare(b, a) : compare(a, b);
	});
}

/** How many rows there are that are not at hand. */
export const missing = (of: Finding): number =>
	list(of.columns).length > 0 ? of.count - list(of.rows).length : 0;

/** How long the title of a note may be that is made of a question. */
const longest = 80;

/** Findings as they are put into a note: in the person's language, and sorted as they are seen. */
export function noteOf(
	title: string,
	parts: readonly Finding[],
	sortings: readonly (Sorting | null)[],
): FindingsNote {
	const line = title.trim().split("\n", 1)[0] ?? "";
	return {
		title: Array.from(line).slice(0, longest).join(""),
		parts: parts.map((part, i) => ({
			text: said(part),
			columns: list(part.columns).map(labelOf),
			rows: sorted(part, sortings[i] ?? null).map(({ cells }) => [...cells]),
		})),
	};
}
