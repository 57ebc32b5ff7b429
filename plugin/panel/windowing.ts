// Which rows of a long list are drawn. Every row has the same height until it
// is measured otherwise (an opened one), so 10,000 rows cost as much as the few
// that differ.

/** The heights of a list's rows, in CSS pixels. */
export class Heights {
	private different = new Map<number, number>();
	private sorted: [index: number, extra: number][] | null = [];

	/** count rows of the height base. */
	constructor(
		public count: number,
		public base: number,
	) {}

	/** Notes a measured height. Returns whether anything moved. */
	set(index: number, height: number): boolean {
		const known = this.different.get(index) ?? this.base;
		if (Math.abs(known - height) < 0.5) return false;
		if (Math.abs(this.base - height) < 0.5) this.different.delete(index);
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
		let y = index * this.base;
		for (const [i, extra] of this.extras()) {
			if (i >= index) break;
			y += extra;
		}
		return y;
	}

	/** The height of all rows together. */
	get total(): number {
		return this.top(this.count);
	}

	/** The row at a height y, within the list. */
	at(y: number): number {
		let above = 0;
		let index = Math.floor(y / this.base);
		for (const [i, extra] of this.extras()) {
			const top = i * this.base + above;
			if (top > y) break;
			if (y < top + this.base + extra) return Math.min(i, this.count - 1);
			above += extra;
			index = Math.floor((y - above) / this.base);
		}
		return Math.max(0, Math.min(index, this.count - 1));
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

	private extras(): [index: number, extra: number][] {
		return (this.sorted ??= [...this.different]
			.map(([i, h]): [number, number] => [i, h - this.base])
			.sort((a, b) => a[0] - b[0]));
	}
}
