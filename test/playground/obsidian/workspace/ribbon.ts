import { nameElement } from "../accessible-name";
import { setIcon } from "../icons";
import { setTooltip } from "../tooltip";

/** The bar of icons at the window's edge. */
export class WorkspaceRibbon {
	containerEl: HTMLElement;
	private readonly actionsEl: HTMLElement;
	private readonly bottomEl: HTMLElement;
	/** All icons with their ids. The ribbon is drawn from this list, whatever became of the elements. */
	private items: { id: string; el: HTMLElement }[] = [];

	constructor(readonly side: "left" | "right") {
		this.containerEl = createDiv({
			cls: `workspace-ribbon side-dock-ribbon mod-${side}`,
			attr: { role: "toolbar", "aria-orientation": "vertical" },
		});
		nameElement(this.containerEl, "Ribbon");
		this.actionsEl = this.containerEl.createDiv("side-dock-actions");
		this.bottomEl = this.containerEl.createDiv("side-dock-settings");
	}

	addRibbonItemButton(
		id: string,
		icon: string,
		title: string,
		callback: (event: MouseEvent) => unknown,
	): HTMLElement {
		const el = this.button(this.actionsEl, icon, title, callback);
		this.items.push({ id, el });
		return el;
	}

	removeRibbonAction(id: string): void {
		this.items = this.items.filter((item) => item.id !== id);
		this.draw();
	}

	/** Draws the icons again, as the app does when its layout changes: one whose element was removed comes back. */
	draw(): void {
		this.actionsEl.replaceChildren(...this.items.map(({ el }) => el));
	}

	addBottomButton(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
		return this.button(this.bottomEl, icon, title, callback);
	}

	private button(
		parent: HTMLElement,
		icon: string,
		title: string,
		callback: (event: MouseEvent) => unknown,
	): HTMLElement {
		const el = parent.createEl("button", {
			cls: "clickable-icon side-dock-ribbon-action",
			attr: { type: "button" },
		});
		setIcon(el, icon);
		setTooltip(el, title, { placement: "right" });
		el.addEventListener("click", (event) => callback(event));
		return el;
	}
}
