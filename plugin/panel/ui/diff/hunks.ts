// Where the hunks of a file stand in the text that is shown.

import type { Amendment, FileView, Hunk } from "../../../protocol";

/** A hunk and the line (from 0) of the shown text that it begins at. */
export interface PlacedHunk {
	index: number;
	hunk: Hunk;
	line: number;
}

/**
 * Places every hunk in the file's text as it would be written. A hunk's line
 * numbers are those of the plan's own text: each rejected hunk before it, whose
 * lines are not in the text that is shown, moves it by what was left out.
 */
export function placeHunks(view: FileView): PlacedHunk[] {
	const lines = view.after.split("\n");
	let shift = 0;
	return (view.hunks ?? []).map((hunk, index) => {
		const line = hunk.afterFrom + shift;
		if (hunk.rejected && !holds(lines, line, hunk.added ?? [])) {
			shift += (hunk.removed ?? []).length - (hunk.added ?? []).length;
		}
		return { index, hunk, line: Math.max(0, Math.min(line, lines.length - 1)) };
	});
}

function holds(lines: readonly string[], at: number, added: readonly string[]): boolean {
	return (
		added.length > 0 &&
		added.every((text, i) => lines[at + i]?.replace(/\r$/, "") === text.replace(/\r$/, ""))
	);
}

/** The indexes rejected after one hunk is turned round. */
export function turnRound(view: FileView, index: number): number[] {
	const rejected: number[] = [];
	(view.hunks ?? []).forEach((hunk, i) => {
		if (Boolean(hunk.rejected) !== (i === index)) rejected.push(i);
	});
	return rejected;
}

/**
 * The amendment that leaves hunks out. With none left the file would not change
 * at all and would vanish from the review; dropping it keeps it in sight.
 */
export function hunksOrDrop(view: FileView, rejected: number[]): Omit<Amendment, "run"> {
	if (rejected.length >= (view.hunks ?? []).length) return { kind: "drop", path: view.path };
	return { kind: "hunks", path: view.path, rejected };
}
