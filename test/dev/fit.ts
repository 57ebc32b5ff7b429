// What does not fit in the panel, measured: what sticks out, what is cut, what
// is too small for a finger. The functions run in the page.

import type { Page } from "playwright-core";

/** How many characters are shown at least of words that are cut. */
const leastShown = 8;

/** What sticks out of the panel sideways or has its words cut; one line each. */
export function misfits(page: Page): Promise<string[]> {
	return page.evaluate((least) => {
		const panel = document.querySelector<HTMLElement>(".ea-panel");
		if (!panel) return ["there is no panel"];
		const found: string[] = [];
		const said = (el: Element) => `${el.tagName.toLowerCase()}.${[...el.classList].join(".")}`;
		const tell = (el: Element, what: string) =>
			found.push(`${said(el)} "${(el.textContent ?? "").trim().slice(0, 40)}" ${what}`);
		// What scrolls sideways by itself, and what only screen readers hear, may be wider.
		const apart = (el: Element) => {
			for (let at: Element | null = el; at && at !== panel; at = at.parentElement) {
				if (at.matches(".ea-hidden, .cm-editor, input, option, svg")) return true;
				if (getComputedStyle(at).clipPath === "inset(50%)") return true;
				if (
					at !== el &&
					/auto|scroll/.test(getComputedStyle(at).overflowX) &&
					at.clientWidth < at.scrollWidth
				)
					return !at.matches(".ea-scroll");
			}
			return false;
		};
		// The nearest thing around an element beyond which nothing of it is seen.
		const clipOf = (el: Element) => {
			let at = el.parentElement;
			while (at && at !== panel && getComputedStyle(at).overflowX === "visible") at = at.parentElement;
			return at ?? panel;
		};
		if (panel.scrollWidth > panel.clientWidth) tell(panel, `is ${panel.scrollWidth} wide`);
		for (const el of panel.querySelectorAll<HTMLElement>("*")) {
			const box = el.getBoundingClientRect();
			if (!el.checkVisibility() || apart(el)) continue;
			const words = [...el.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
			if (words && box.width < 4) tell(el, "is cut to nothing");
			if (box.width === 0 || box.height === 0) continue;
			const clip = clipOf(el).getBoundingClientRect();
			if (box.left < clip.left - 1 || box.right > clip.right + 1)
				tell(el, `stands from ${Math.round(box.left)} to ${Math.round(box.right)}`);
			const style = getComputedStyle(el);
			const over = el.scrollWidth - el.clientWidth;
			if (over > 1 && el.clientWidth > 0 && style.display !== "inline") {
				const gives = style.textOverflow === "ellipsis";
				if (el.matches("button, .ea-buttons, .ea-badge, h3, p, summary, label, legend"))
					tell(el, `is cut by ${over}`);
				else if (style.overflowX !== "visible" && !gives && !/auto|scroll/.test(style.overflowX))
					tell(el, `hides ${over}`);
				// A folder gives way to its note's name; what is left of other words still says which it is.
				else if (gives && !el.matches(".ea-path-folder")) {
					const left = Math.floor(((el.textContent ?? "").length * el.clientWidth) / el.scrollWidth);
					if (left < least) tell(el, `is cut to ${left} characters`);
				}
			}
			if (el.matches("button") && el.scrollHeight > el.clientHeight + 2) tell(el, "is cut below");
		}
		// Rows of a list stand one below the other, each as high as it is.
		for (const space of panel.querySelectorAll<HTMLElement>(".ea-list-space")) {
			const rows = [...space.children].map((row) => row as HTMLElement);
			rows.sort((a, b) => Number(a.dataset["index"]) - Number(b.dataset["index"]));
			rows.forEach((row, i) => {
				const next = rows[i + 1];
				if (!next || Number(next.dataset["index"]) !== Number(row.dataset["index"]) + 1) return;
				const apart = next.getBoundingClientRect().top - row.getBoundingClientRect().bottom;
				if (Math.abs(apart) > 1) tell(row, `is ${Math.round(apart)} apart from the next`);
			});
		}
		return found;
	}, leastShown);
}

/** Controls in sight whose target is smaller than `least` CSS pixels either way; one line each. */
export function smallTargets(page: Page, within = ".ea-panel", least = 44): Promise<string[]> {
	return page.evaluate(
		([within, least]) => {
			const controls =
				"button, input, select, textarea, summary, [role=option], [role=button], [role=menuitem], [role=switch]";
			const found: string[] = [];
			for (const el of document.querySelectorAll<HTMLElement>(`:is(${within}) :is(${controls})`)) {
				if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
				if (el.closest(".ea-hidden, [aria-hidden=true]")) continue;
				// Pressing a label presses its control.
				const target = el.matches("input") ? (el.closest("label, .checkbox-container") ?? el) : el;
				const { width, height } = target.getBoundingClientRect();
				if (width === 0 || height === 0) continue;
				if (width >= least - 0.5 && height >= least - 0.5) continue;
				const name = el.getAttribute("aria-label") ?? el.textContent?.trim() ?? "";
				found.push(
					`${el.tagName.toLowerCase()}.${[...el.classList].join(".")} "${name.slice(0, 40)}" ${Math.round(width)}×${Math.round(height)}`,
				);
			}
			return found;
		},
		[within, least] as const,
	);
}
