// Svelte actions: what a component does with a real element.

import { tick } from "svelte";
import type { Rendered, Shell } from "./shell";
import { blocks } from "./blocks";

interface Updatable<T> {
	update?: (value: T) => void;
	destroy?: () => void;
}

/** Draws an icon into the element, hidden from screen readers. */
export function icon(el: HTMLElement, drawn: { shell: Shell; name: string }): Updatable<typeof drawn> {
	el.setAttribute("aria-hidden", "true");
	let name = "";
	const update = (next: typeof drawn) => {
		if (next.name === name) return;
		name = next.name;
		el.replaceChildren();
		next.shell.icon(el, name);
	};
	update(drawn);
	return { update };
}

/** Moves the keyboard to the element when it appears. */
export function focus(el: HTMLElement): void {
	el.focus();
	if (el.instanceOf(HTMLInputElement)) el.select();
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
	return { update: (next) => void fit(next) };
}

/**
 * Renders Markdown that grows. Only blocks that changed are rendered again, and
 * a block's new content takes its place when it is ready, so nothing flickers.
 */
export function markdown(el: HTMLElement, drawn: { shell: Shell; text: string }): Updatable<typeof drawn> {
	const slots: Slot[] = [];
	const update = ({ shell, text }: typeof drawn) => {
		const next = blocks(text);
		slots.splice(next.length).forEach((slot) => slot.destroy());
		next.forEach((source, i) => (slots[i] ??= new Slot(el)).show(shell, source));
	};
	update(drawn);
	return { update, destroy: () => slots.forEach((slot) => slot.destroy()) };
}

/** One block of a reply: it shows the latest of its renderings that is ready. */
class Slot {
	private readonly el: HTMLElement;
	private text = "";
	private asked = 0;
	private shown = 0;
	private rendered: Rendered | null = null;

	constructor(parent: HTMLElement) {
		this.el = parent.createDiv({ cls: "ea-md-block" });
	}

	show(shell: Shell, text: string): void {
		if (this.text === text) return;
		this.text = text;
		const turn = ++this.asked;
		const fresh = createDiv();
		const rendered = shell.markdown(fresh, text);
		void rendered.done.then(() => {
			if (turn < this.shown || !this.el.isConnected) return rendered.dispose();
			this.shown = turn;
			this.rendered?.dispose();
			this.rendered = rendered;
			this.el.replaceChildren(...Array.from(fresh.childNodes));
		});
	}

	destroy(): void {
		this.rendered?.dispose();
		this.el.remove();
	}
}

/**
 * Keeps a scrolling element at its end while it grows: from when on is set, for
 * as long as the person has not scrolled away.
 */
export function follow(el: HTMLElement, on: boolean): Updatable<boolean> {
	const slack = 24;
	let stuck = false;
	const toEnd = () => {
		if (stuck) el.scrollTop = el.scrollHeight;
	};
	const scrolled = () => {
		stuck &&= el.scrollHeight - el.scrollTop - el.clientHeight <= slack;
	};
	const update = (next: boolean) => {
		stuck = next;
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
}

/** Pixels that stay free at the edge. */
const margin = 8;
