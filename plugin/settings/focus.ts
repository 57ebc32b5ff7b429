// Settings are drawn anew when other ones are asked for, or an entry is gone.
// Whoever works with the keys goes on where they were. (What the app itself
// does about this is not told: where the keyboard is somewhere, it stays.)

const controls = "input, select, textarea, button, a[href], [tabindex]";

/** Where the keyboard is: the row by its name, and the how manieth of its controls. */
interface Place {
	name: string;
	nth: number;
	/** The names of the rows of the same list, the nearest first: those below, then those above. */
	beside: string[];
	/** The name of the heading above. */
	heading: string;
}

/**
 * Draws the settings in `around` anew, with the keyboard on the control that had
 * it; where its row is gone, on the row beside it, or on the list's heading.
 */
export function redraw(around: HTMLElement, draw: () => void): void {
	const place = placeOf(around);
	draw();
	if (place && !hasKeyboard(around)) find(around, place)?.focus();
}

/** Does what takes the keyboard from a button, and gives it back where nobody has taken it since. */
export async function whileDisabled(button: HTMLButtonElement, work: () => Promise<void>): Promise<void> {
	const { ownerDocument: page } = button;
	const had = page.activeElement === button;
	button.disabled = true;
	try {
		await work();
	} finally {
		button.disabled = false;
		if (had && page.activeElement === page.body) button.focus();
	}
}

const hasKeyboard = (around: HTMLElement) => around.contains(around.ownerDocument.activeElement);

const rowsIn = (around: Element) => Array.from(around.querySelectorAll<HTMLElement>(".setting-item"));

const nameOf = (row: Element) => row.querySelector(".setting-item-name")?.textContent ?? "";

/** The controls of a row; an entry that opens a page is one itself. */
function controlsOf(row: HTMLElement): HTMLElement[] {
	const inside = Array.from(row.querySelectorAll<HTMLElement>(controls));
	return row.matches(controls) ? [row, ...inside] : inside;
}

function placeOf(around: HTMLElement): Place | undefined {
	const active = around.ownerDocument.activeElement;
	const row = active?.closest<HTMLElement>(".setting-item");
	if (!active || !row || !around.contains(row)) return undefined;
	const rows = rowsIn(around);
	const above = rows.slice(0, rows.indexOf(row)).reverse();
	const list = rows.filter((other) => other.parentElement === row.parentElement);
	const at = list.indexOf(row);
	const heading = above.find((other) => other.classList.contains("setting-item-heading"));
	return {
		name: nameOf(row),
		nth: controlsOf(row).findIndex((control) => control === active),
		beside: [...list.slice(at + 1), ...list.slice(0, at).reverse()].map(nameOf),
		heading: heading ? nameOf(heading) : "",
	};
}

function find(around: HTMLElement, { name, nth, beside, heading }: Place): HTMLElement | undefined {
	const rows = rowsIn(around);
	for (const wanted of [name, ...beside, heading]) {
		const row = rows.find((each) => nameOf(each) === wanted);
		const choices = row ? controlsOf(row) : [];
		const control = choices[Math.min(nth, choices.length - 1)];
		if (control) return control;
	}
	return undefined;
}
