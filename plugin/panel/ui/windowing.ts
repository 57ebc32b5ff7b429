// Which rows of a long list are drawn. Every row has the same height until it
// is measured otherwise (an opened one, or one whose badges stand below its
// name), so 10,000 rows cost as much as the few that differ.

/** Heights that differ by less, in CSS pixels, are alike. */
const grain = 0.05;

/** The heights of a list's rows, in CSS pixels. */
export class Heights {
	private different = new Map<number, number>();
	/** The rows that differ, in order, with what they and those before them have more. */
	private sorted: { index: number; sum: number }[] | null = [];

	/** count rows of the height base. */
	constructor(
		public count: number,
		public base: number,
	) {}

	/** Notes a measured height. Returns whether anything moved. */
	set(index: number, height: number): boolean {
		const known = this.different.get(index) ?? this.base;
		if (Math.abs(known - height) < grain) return false;
		if (Math.abs(this.base - height) < grain) this.different.delete(index);
		else this.different.set(index, height);
		this.sorted = null;
		return true;
	}

	/** Forgets every measured height, for a list whose rows are others now. */
	reset(base: number): void {
		this.base = base;
		this.different.clear();
		this.sorted = [];
	}

	/** Where a row begins. */
	top(index: number): number {
		return index * this.base + this.above(index);
	}

	/** The height of all rows together. */
	get total(): number {
		return this.top(this.count);
	}

	/** The row at a height y, within the list. */
	at(y: number): number {
		let from = 0;
		for (let to = this.count - 1; from < to;) {
			const middle = Math.ceil((from + to) / 2);
			if (this.top(middle) <= y) from = middle;
			else to = middle - 1;
		}
		return from;
	}

	/**
	 * The rows [from, to) that a viewport shows, whose top is at y in the list's
	 * own coordinates, with some rows more on both sides.
	 */
	visible(y: number, viewport: number, more: number): { from: number; to: number } {
		if (this.count === 0 || y + viewport < 0 || y > this.total) return { from: 0, to: 0 };
		const from = Math.max(0, this.at(Math.max(0, y)) - more);
		const to = Math.min(this.count, this.at(Math.max(0, y + viewport)) + 1 + more);
		return { from, to };
	}

	/** How much the rows before one have more than the base. */
	private above(index: number): number {
		const extras = this.extras();
		let from = 0;
		for (let to = extras.length; from < to;) {
			const middle = (from + to) >> 1;
			if (extras[middle]!.index < index) from = middle + 1;
			else to = middle;
		}
		return extras[from - 1]?.sum ?? 0;
	}

	private extras() {
		if (this.sorted) return this.sorted;
		const byPlace = [...this.different].sort((a, b) => a[0] - b[0]);
		let sum = 0;
		return (this.sorted = byPlace.map(([index, height]) => {
			sum += height - this.base;
			return { index, sum };
		}));
	}
}

/** The rows [from, to), and those that stay wherever they are: in order, each once. */
export function withKept(from: number, to: number, kept: readonly number[]): number[] {
	const rows = Array.from({ length: to - from }, (_, i) => from + i);
	const others = new Set(kept.filter((index) => index < from || index >= to));
	return others.size === 0 ? rows : [...rows, ...others].sort((a, b) => a - b);
}
