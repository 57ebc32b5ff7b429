export interface TooltipOptions {
	placement?: "bottom" | "right" | "left" | "top";
	classes?: string[];
	gap?: number;
	delay?: number;
}

let current: HTMLElement | undefined;

/** Gives an element a tooltip; it becomes its accessible name too, as in the app. */
export function setTooltip(el: HTMLElement, tooltip: string, options: TooltipOptions = {}): void {
	if (tooltip === "") {
		el.removeAttribute("aria-label");
		return;
	}
	el.setAttribute("aria-label", tooltip);
	if (options.placement) el.dataset["tooltipPosition"] = options.placement;
	if (options.classes) el.dataset["tooltipClasses"] = options.classes.join(" ");
	if (options.delay !== undefined) el.dataset["tooltipDelay"] = String(options.delay);
}

/** Shows a tooltip at an element now. */
export function displayTooltip(
	target: HTMLElement,
	content: string | DocumentFragment,
	options: TooltipOptions = {},
): void {
	hideTooltip();
	const tip = document.body.createDiv({
		cls: ["tooltip", ...(options.classes ?? [])],
		attr: { role: "tooltip" },
	});
	tip.setText(content);
	const box = target.getBoundingClientRect();
	const own = tip.getBoundingClientRect();
	const gap = options.gap ?? 6;
	const placement = options.placement ?? "bottom";
	const middleX = box.left + box.width / 2 - own.width / 2;
	const middleY = box.top + box.height / 2 - own.height / 2;
	const [x, y] = {
		bottom: [middleX, box.bottom + gap],
		top: [middleX, box.top - own.height - gap],
		right: [box.right + gap, middleY],
		left: [box.left - own.width - gap, middleY],
	}[placement] as [number, number];
	tip.style.left = `${Math.min(Math.max(4, x), window.innerWidth - own.width - 4)}px`;
	tip.style.top = `${Math.min(Math.max(4, y), window.innerHeight - own.height - 4)}px`;
	current = tip;
}

export function hideTooltip(): void {
	current?.remove();
	current = undefined;
}

/**
 * Shows the `aria-label` of the nearest element that has one, be it a button or a whole region, as the app does.
 * Who wants a name without a tooltip uses `aria-labelledby` (see `accessible-name.ts`).
 */
export function installTooltips(): void {
	let timer = 0;
	document.addEventListener("pointerover", (event) => {
		window.clearTimeout(timer);
		hideTooltip();
		if (event.pointerType === "touch" || !(event.target instanceof Element)) return;
		const owner = event.target.closest<HTMLElement>("[aria-label]");
		if (!owner) return;
		const label = owner.getAttribute("aria-label") ?? "";
		const placement = (owner.dataset["tooltipPosition"] ?? "bottom") as NonNullable<
			TooltipOptions["placement"]
		>;
		timer = window.setTimeout(() => {
			if (owner.isConnected && label !== "" && label !== owner.textContent)
				displayTooltip(owner, label, { placement });
		}, 400);
	});
	document.addEventListener("pointerdown", () => {
		window.clearTimeout(timer);
		hideTooltip();
	});
}
