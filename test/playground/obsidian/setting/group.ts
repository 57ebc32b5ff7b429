import { ExtraButtonComponent } from "./button";
import { Setting } from "./setting";
import { SearchComponent } from "./text";

/** Settings under one heading. */
export class SettingGroup {
	groupEl: HTMLElement;
	headerEl: HTMLElement;
	headingEl: HTMLElement;
	listEl: HTMLElement;
	private readonly headerControlEl: HTMLElement;

	constructor(containerEl: HTMLElement) {
		this.groupEl = containerEl.createDiv("setting-group");
		this.headerEl = this.groupEl.createDiv("setting-item setting-item-heading setting-group-header");
		this.headingEl = this.headerEl.createDiv({
			cls: "setting-item-name",
			attr: { role: "heading", "aria-level": 3 },
		});
		this.headerControlEl = this.headerEl.createDiv("setting-item-control");
		this.listEl = this.groupEl.createDiv("setting-items");
		this.headerEl.hide();
	}

	setHeading(text: string | DocumentFragment): this {
		this.headerEl.show();
		this.headingEl.setText(text);
		return this;
	}

	addClass(...classes: string[]): this {
		this.groupEl.addClass(...classes);
		return this;
	}

	addSetting(cb: (setting: Setting) => void): this {
		cb(new Setting(this.listEl));
		return this;
	}

	addSearch(cb: (component: SearchComponent) => unknown): this {
		this.headerEl.show();
		cb(new SearchComponent(this.headerControlEl));
		return this;
	}

	addExtraButton(cb: (component: ExtraButtonComponent) => unknown): this {
		this.headerEl.show();
		cb(new ExtraButtonComponent(this.headerControlEl));
		return this;
	}
}
