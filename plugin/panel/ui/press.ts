// What waits until nothing is being pressed: a layout that moves between the press
// and the release of a button takes the button away from under the finger.

/** The panels in which a pointer is down, each with what waits until it is up. */
const pressed = new WeakMap<Element, (() => void)[]>();

const panelOf = (el: Element): Element => el.closest(".ea-panel") ?? el;

/** Follows what is pressed in the panel around an element; it may be moved to another window. */
export function followPresses(el: HTMLElement): { destroy: () => void } {
	const panel = panelOf(el);
	const down = () => {
		const { ownerDocument } = panel;
		const waiting: (() => void)[] = [];
		pressed.set(panel, waiting);
		const up = () => {
			ownerDocument.removeEventListener("pointerup", up, true);
			ownerDocument.removeEventListener("pointercancel", up, true);
			if (pressed.get(panel) === waiting) pressed.delete(panel);
			for (const call of waiting) afterPress(el, call);
		};
		ownerDocument.addEventListener("pointerup", up, true);
		ownerDocument.addEventListener("pointercancel", up, true);
	};
	panel.addEventListener("pointerdown", down, true);
	return { destroy: () => panel.removeEventListener("pointerdown", down, true) };
}

/** Calls when no press is under way any more, and its click has been heard. */
export function afterPress(el: Element, call: () => void): void {
	const waiting = pressed.get(panelOf(el));
	// A finger moves the keyboard's focus when it is up already; its click is of the same task.
	if (waiting) waiting.push(call);
	else el.ownerDocument.defaultView?.setTimeout(call, 0);
}
