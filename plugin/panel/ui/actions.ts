// Svelte actions: what a component does with a real element.

import { tick } from "svelte";
import { visible } from "../../text/marks";
import type { AppPort } from "../../app/port";

interface Updatable<T> {
	update?: (value: T) => void;
	destroy?: () => void;
}

/** Draws an icon into the element, hidden from screen readers. */
export function icon(el: HTMLElement, drawn: { app: AppPort; name: string }): Updatable<typeof drawn> {
	el.setAttribute("aria-hidden", "true");
	let name = "";
	const update = (next: typeof drawn) => {
		if (next.name === name) return;
		name = next.name;
		el.replaceChildren();
		next.app.icon(el, name);
	};
	update(drawn);
	return { update };
}

/** Moves the keyboard to the element when it appears, and back when it goes with the keyboard. */
export function focus(el: HTMLElement): Updatable<void> {
	const { ownerDocument } = el;
	const before = ownerDocument.activeElement;
	el.focus();
	if (el.instanceOf(HTMLInputElement)) el.select();
	return {
		destroy: () =>
			void tick().then(() => {
				if (nowhere(ownerDocument) && before?.isConnected && before.instanceOf(HTMLElement)) before.focus();
			}),
	};
}

/** Whether no element has the keyboard: the one that had it is gone, or was moved. */
const nowhere = ({ activeElement, body }: Document): boolean =>
	activeElement === null || activeElement === body;

/** As selectors: what is focused of each entry of a list, and what where it has none. */
interface Entries {
	entries: string;
	otherwise: string;
}

/**
 * Keeps the keyboard in a list whose entries come and go. When an entry goes with the
 * keyboard, the next one has it, or the last one. An entry that is moved keeps it.
 */
export function keepKeyboard(el: HTMLElement, { entries, otherwise }: Entries): Updatable<Entries> {
	let had: HTMLElement | null = null;
	let at = 0;
	const all = () => [...el.querySelectorAll<HTMLElement>(entries)];
	/** Which entry an element belongs to: the last one that begins before it. */
	const place = (of: HTMLElement) =>
		all().findLastIndex(
			(entry) => entry === of || (entry.compareDocumentPosition(of) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
		);
	const note = ({ target }: FocusEvent) => {
		had = target as HTMLElement;
		// A list within an entry keeps the keyboard by itself.
		if (had.closest("[data-keeps]") !== el) had = null;
		else at = place(had);
	};
	const changed = (changes: readonly MutationRecord[]) => {
		if (!had || (el.ownerDocument.activeElement !== had && !nowhere(el.ownerDocument))) return;
		const off = had.matches(":disabled");
		const moved = changes.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(had)));
		if (!off && !moved) return;
		if (!off && had.isConnected) return had.focus();
		const left = all();
		const next = left[Math.min(had.isConnected ? place(had) : Math.max(at, 0), left.length - 1)];
		(next ?? el.querySelector<HTMLElement>(otherwise))?.focus();
	};
	el.dataset["keeps"] = "";
	const observer = new MutationObserver(changed);
	observer.observe(el, { childList: true, subtree: true });
	el.addEventListener("focusin", note);
	return { destroy: () => observer.disconnect() };
}

/** Makes a text field as high as its text, within what CSS allows. */
export function grow(el: HTMLTextAreaElement, text: string): Updatable<string> {
	let last = "";
	const fit = async (next: string) => {
		if (next === last) return;
		last = next;
		// The element has the new text only when every update has been made.
		await tick();
		el.setCssProps({ "--ea-text-height": "auto" });
		if (next !== "") el.setCssProps({ "--ea-text-height": `${el.scrollHeight}px` });
	};
	void fit(text);
	// In a narrower panel the same text needs more lines.
	let width = el.clientWidth;
	const resized = new ResizeObserver(() => {
		if (el.clientWidth === width) return;
		width = el.clientWidth;
		const now = last;
		last = "";
		void fit(now);
	});
	resized.observe(el);
	return { update: (next) => void fit(next), destroy: () => resized.disconnect() };
}

/**
 * Keeps a scrolling element at its end while it grows: from when on is set, for
 * as long as the person is at the end.
 */
export function follow(el: HTMLElement, on: boolean): Updatable<boolean> {
	const slack = 24;
	let following = false;
	let stuck = false;
	let at = 0;
	const toEnd = () => {
		// Scrolled back since, and the event has not come yet (a review is read from its beginning).
		if (el.scrollTop < at - slack) stuck = false;
		if (stuck) el.scrollTop = el.scrollHeight;
		else hold(el);
		at = el.scrollTop;
	};
	const scrolled = () => {
		at = el.scrollTop;
		stuck = following && el.scrollHeight - at - el.clientHeight <= slack;
	};
	const update = (next: boolean) => {
		following = stuck = next;
		toEnd();
	};
	el.addEventListener("scroll", scrolled, { passive: true });
	const grown = new ResizeObserver(toEnd);
	for (const child of Array.from(el.children)) grown.observe(child);
	update(on);
	return {
		update,
		destroy: () => {
			el.removeEventListener("scroll", scrolled);
			grown.disconnect();
		},
	};
}

/** By scroller, the element that was brought to its top, and where that was. */
const held = new WeakMap<HTMLElement, { el: HTMLElement; at: number }>();

/**
 * Keeps what was brought to the top there while what is above it grows (answers
 * are drawn when the core has read them), until somebody scrolls.
 */
function hold(scroller: HTMLElement): void {
	const top = held.get(scroller);
	if (top?.el.isConnected && Math.abs(scroller.scrollTop - top.at) <= 1) reveal(top.el, "start", scroller);
	else held.delete(scroller);
}

let names = 0;

/**
 * Names an element for those who hear the panel. (An aria-label would be shown
 * by the app as a tooltip, over everything that the element holds.) The name
 * stands at the panel's end: a list that runs empty clears all that is in it.
 */
export function named(el: HTMLElement, name: string): Updatable<string> {
	const holder = el.closest<HTMLElement>(".ea-panel") ?? el;
	const label = holder.createSpan({ text: visible(name), attr: { id: `ea-name-${++names}`, hidden: "" } });
	el.setAttribute("aria-labelledby", label.id);
	return { update: (next) => label.setText(visible(next)), destroy: () => label.remove() };
}

/** Brings the element into sight when it appears. */
export function appear(el: HTMLElement): void {
	reveal(el, "nearest");
}

/**
 * Scrolls the panel, and nothing around it, to an element: its beginning to the
 * top, or only as far as needed. (scrollIntoView also scrolls the app's own
 * frame, which hides its overflow but can be scrolled.)
 */
export function reveal(el: HTMLElement, how: "start" | "nearest", within?: HTMLElement): void {
	const scroller = within ?? el.closest<HTMLElement>(".ea-scroll");
	if (!scroller) return;
	const frame = scroller.getBoundingClientRect();
	const box = el.getBoundingClientRect();
	const above = box.top - frame.top;
	const below = box.bottom - frame.bottom;
	if (how === "start" || above < 0) scroller.scrollTop += above - margin;
	else if (below > 0) scroller.scrollTop += Math.min(below + margin, above - margin);
	if (how === "start") held.set(scroller, { el, at: scroller.scrollTop });
}

/** Pixels that stay free at the edge. */
const margin = 8;
