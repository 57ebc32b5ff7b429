import { nameElement } from "../obsidian/accessible-name";

/** The bar at the foot of the window. */
export class StatusBar {
	containerEl = createDiv({ cls: "status-bar", attr: { role: "status" } });

	constructor() {
		nameElement(this.containerEl, "Status bar");
	}

	addItem(cls: string): HTMLElement {
		return this.containerEl.createDiv(`status-bar-item ${cls}`);
	}
}
