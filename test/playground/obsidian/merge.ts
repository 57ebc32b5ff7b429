/**
 * Merges two edits of a text, line by line. Where both touched the same lines, `mine` wins: a guess at what
 * the app does, which merges by fuzzy patches and has been reported to lose text.
 */
export function mergeTexts(base: string, mine: string, theirs: string): string {
	if (mine === base) return theirs;
	if (theirs === base || theirs === mine) return mine;
	const baseLines = base.split("\n");
	const mineChanges = changes(baseLines, mine.split("\n"));
	const theirChanges = changes(baseLines, theirs.split("\n")).filter(
		(change) => !mineChanges.some((other) => overlaps(change, other)),
	);
	const all = [...mineChanges, ...theirChanges].sort((a, b) => b.from - a.from || b.to - a.to);
	for (const { from, to, lines } of all) baseLines.splice(from, to - from, ...lines);
	return baseLines.join("\n");
}

/** Lines `from` up to but not including `to` of the base become `lines`. */
interface Change {
	from: number;
	to: number;
	lines: string[];
}

function overlaps(a: Change, b: Change): boolean {
	if (a.from === a.to && b.from === b.to) return a.from === b.from;
	return a.from < b.to && b.from < a.to;
}

/** Beyond this many line pairs the middle counts as one change. */
const tableLimit = 4_000_000;

function changes(base: string[], other: string[]): Change[] {
	let start = 0;
	while (start < base.length && start < other.length && base[start] === other[start]) start++;
	let baseEnd = base.length;
	let otherEnd = other.length;
	while (baseEnd > start && otherEnd > start && base[baseEnd - 1] === other[otherEnd - 1]) {
		baseEnd--;
		otherEnd--;
	}
	const a = base.slice(start, baseEnd);
	const b = other.slice(start, otherEnd);
	if (a.length === 0 && b.length === 0) return [];
	if (a.length * b.length > tableLimit) return [{ from: start, to: baseEnd, lines: b }];
	return walk(a, b, commonLengths(a, b), start);
}

/** lengths[i][j]: how long the longest common subsequence of a[i..] and b[j..] is. */
function commonLengths(a: string[], b: string[]): Uint32Array[] {
	const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
	for (let i = a.length - 1; i >= 0; i--) {
		const row = lengths[i] as Uint32Array;
		const below = lengths[i + 1] as Uint32Array;
		for (let j = b.length - 1; j >= 0; j--)
			row[j] =
				a[i] === b[j] ? (below[j + 1] as number) + 1 : Math.max(below[j] as number, row[j + 1] as number);
	}
	return lengths;
}

function walk(a: string[], b: string[], lengths: Uint32Array[], offset: number): Change[] {
	const found: Change[] = [];
	let open: Change | undefined;
	let i = 0;
	let j = 0;
	while (i < a.length || j < b.length) {
		if (i < a.length && j < b.length && a[i] === b[j]) {
			open = undefined;
			i++;
			j++;
			continue;
		}
		if (!open) {
			open = { from: offset + i, to: offset + i, lines: [] };
			found.push(open);
		}
		const down = lengths[i + 1]?.[j] ?? -1;
		const right = lengths[i]?.[j + 1] ?? -1;
		if (j >= b.length || (i < a.length && down >= right)) {
			i++;
			open.to = offset + i;
		} else {
			open.lines.push(b[j] as string);
			j++;
		}
	}
	return found;
}
