// Keeps what a person reads in a long list where it is: rows above it may turn
// out higher than was thought, or be measured anew when the window changes.
// (Not every system does so by itself, and none knows of rows that are not drawn.)

/** The row that is read: the first in sight. */
export class Reading {
	private row: HTMLElement | null = null;
	/** Where it begins, in the list. */
	private at = 0;
	/** How much of it is above what is in sight. */
	private hidden = 0;

	/** space holds the rows, and scroller shows a part of it. */
	constructor(
		private readonly space: HTMLElement,
		private readonly scroller: HTMLElement,
	) {}

	/** Notes what is in sight now. */
	note(): void {
		const { top, bottom } = this.scroller.getBoundingClientRect();
		const from = this.space.getBoundingClientRect().top;
		this.row = null;
		for (const row of this.space.children) {
			const box = row.getBoundingClientRect();
			if (box.bottom <= top) continue;
			if (box.top >= bottom) return;
			this.row = row as HTMLElement;
			this.at = box.top - from;
			this.hidden = top - box.top;
			return;
		}
	}

	/** Scrolls by as much as the row has moved within the list. */
	keep(): void {
		const { row } = this;
		if (!row?.isConnected) return;
		const from = this.space.getBoundingClientRect().top;
		// Where the list's beginning is in sight, nothing above the row is hidden.
		if (from >= this.scroller.getBoundingClientRect().top) return;
		const by = row.getBoundingClientRect().top - from - this.at;
		if (Math.abs(by) >= 0.5) this.scroller.scrollTop += by;
	}

	/**
	 * Scrolls the row to where it was in sight, since in another width all that
	 * is above the list has another height too. Returns how much of the row is
	 * above what is in sight then; undefined where the list begins in sight.
	 */
	restore(): { row: HTMLElement; hidden: number } | undefined {
		const { row, hidden } = this;
		if (!row?.isConnected || this.at + hidden <= 0) return undefined;
		const { top } = this.scroller.getBoundingClientRect();
		this.scroller.scrollTop += row.getBoundingClientRect().top - top + hidden;
		return { row, hidden };
	}
}
