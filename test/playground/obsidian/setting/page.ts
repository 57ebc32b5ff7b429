import { setIcon } from "../icons";

/** A page inside a settings tab. */
export abstract class SettingPage {
	rootEl: HTMLElement;
	titlebarEl: HTMLElement;
	containerEl: HTMLElement;
	title = "";
	/** Set by whoever opens it. */
	goBack: () => void = () => undefined;

	constructor() {
		this.rootEl = createDiv("setting-page");
		this.titlebarEl = this.rootEl.createDiv("setting-page-titlebar");
		this.containerEl = this.rootEl.createDiv("setting-page-content");
	}

	abstract display(): void;

	hide(): void {
		return undefined;
	}

	/** Draws title bar and content. */
	show(): void {
		this.titlebarEl.empty();
		const back = this.titlebarEl.createEl("button", {
			cls: "clickable-icon",
			attr: { type: "button", "aria-label": "Back" },
		});
		setIcon(back, "arrow-left");
		back.addEventListener("click", () => this.goBack());
		this.titlebarEl.createDiv({
			cls: "setting-page-title",
			text: this.title,
			attr: { role: "heading", "aria-level": 2 },
		});
		this.display();
	}
}
