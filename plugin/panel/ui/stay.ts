// Where the keyboard goes when what had it is gone.

/** Whether a key that is pressed there becomes text. */
export function typing(el: HTMLElement): boolean {
	return el.isContentEditable || el.matches("textarea, select, input:not([type='checkbox'])");
}

/**
 * Keeps the keyboard within an element: when what had it is removed or switched off,
 * the first of the selectors that fits has it, so that the next key is not lost to the
 * page. What was switched off has it again when it is switched on. Who touches the screen,
 * and who has a phone, has none to lose: a field that got it would open the one on the screen.
 */
export function stay(el: HTMLElement, otherwise: readonly string[]): { destroy: () => void } {
	const doc = el.ownerDocument;
	const win = doc.defaultView ?? window;
	let had: HTMLElement | null = null;
	/** The element that was switched off while it had the keyboard, and the one that has it meanwhile. */
	let off: { el: HTMLElement; standIn: HTMLElement } | null = null;
	const note = (event: Event) => {
		had = event.target as HTMLElement;
		if (had !== off?.standIn) off = null;
	};
	let touched = false;
	const key = () => (touched = false);
	// Whoever presses beside everything wants the keyboard nowhere.
	const pressed = (event: Event) => {
		const { type } = event;
		if (type === "pointerdown") touched = (event as PointerEvent).pointerType === "touch";
		const { activeElement: active } = doc;
		had = type === "click" && active !== doc.body && el.contains(active) ? (active as HTMLElement) : null;
	};
	const look = () => {
		if (off && !off.el.matches(":disabled")) {
			if (doc.activeElement === off.standIn && off.el.isConnected) off.el.focus({ preventScroll: true });
			off = null;
		}
		if (touched || doc.body.classList.contains("is-mobile")) return;
		if (!had || (had.isConnected && !had.matches(":disabled"))) return;
		if (doc.activeElement !== doc.body && doc.activeElement !== had) return;
		const gone = had;
		const next = otherwise.map((fits) => el.querySelector<HTMLElement>(fits)).find((found) => found);
		if (!next) return;
		if (next.tabIndex < 0) next.tabIndex = -1;
		next.focus({ preventScroll: true });
		if (gone.isConnected) off = { el: gone, standIn: next };
	};
	let frame = 0;
	// Not at once: a list that keeps the keyboard among its own entries goes first.
	const changed = () => {
		if (!had && !off) return;
		win.cancelAnimationFrame(frame);
		frame = win.requestAnimationFrame(look);
	};
	const observer = new MutationObserver(changed);
	observer.observe(el, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
	el.addEventListener("focusin", note);
	el.addEventListener("click", pressed, true);
	doc.addEventListener("pointerdown", pressed, true);
	doc.addEventListener("keydown", key, true);
	return {
		destroy: () => {
			observer.disconnect();
			win.cancelAnimationFrame(frame);
			el.removeEventListener("focusin", note);
			el.removeEventListener("click", pressed, true);
			doc.removeEventListener("pointerdown", pressed, true);
			doc.removeEventListener("keydown", key, true);
		},
	};
}
