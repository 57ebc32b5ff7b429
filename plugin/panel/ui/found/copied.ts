// An answer as it is put on the clipboard: as Markdown for what takes text, and as
// a table for what takes rich text, in the order that the person sees.

import type { Finding, FindingCell } from "../../../protocol";
import { list } from "../../reducer";
import { labelOf, said, sorted, type Sorting } from "./findings";

/** A text, and the same as rich text. */
export interface Copied {
	readonly text: string;
	readonly html: string;
}

/** The words of a cell: a note by its name, and the line in it. */
function wordsOf({ text, path, line = 0 }: FindingCell): string {
	if (!path) return text;
	const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
	return line > 0 ? `${name}:${line}` : name;
}

/** A text so that it is nothing but text in HTML. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** A text on one line of a table of Markdown. */
const celled = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\|]/g, "\\$&").trim();

/** Findings as they are copied. */
export function copyOf(parts: readonly Finding[], sortings: readonly (Sorting | null)[]): Copied {
	const text: string[] = [];
	const html: string[] = [];
	parts.forEach((part, i) => {
		const title = parts.length > 1 ? part.name : "";
		if (title) {
			text.push(`## ${title}`);
			html.push(`<h2>${escaped(title)}</h2>`);
		}
		text.push(said(part));
		html.push(`<p>${escaped(said(part))}</p>`);
		const columns = list(part.columns).map(labelOf);
		const rows = sorted(part, sortings[i] ?? null).map(({ cells }) => cells.map(wordsOf));
		if (columns.length === 0 || rows.length === 0) return;
		const lines = [columns, columns.map(() => "---"), ...rows];
		text.push(lines.map((cells) => `| ${cells.map(celled).join(" | ")} |`).join("\n"));
		const row = (cells: readonly string[], tag: string) =>
			`<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
		html.push(`<table>${row(columns, "th")}${rows.map((cells) => row(cells, "td")).join("")}</table>`);
	});
	return { text: `${text.join("\n\n")}\n`, html: html.join("\n") };
}
