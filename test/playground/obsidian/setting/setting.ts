import { setTooltip, type TooltipOptions } from "../tooltip";
import type { BaseComponent } from "./base";
import { ButtonComponent, ExtraButtonComponent } from "./button";
import {
	DisplayValueComponent,
	DropdownComponent,
	ProgressBarComponent,
	SliderComponent,
	ToggleComponent,
} from "./choice";
import { ColorComponent } from "./color";
import { MomentFormatComponent, SearchComponent, TextAreaComponent, TextComponent } from "./text";

let settings = 0;

/** One row: name and description on the left, controls on the right. */
export class Setting {
	settingEl: HTMLElement;
	infoEl: HTMLElement;
	nameEl: HTMLElement;
	descEl: HTMLElement;
	controlEl: HTMLElement;
	components: BaseComponent[] = [];
	errorEl: HTMLElement | null = null;
	private readonly id = `setting-${++settings}`;

	constructor(containerEl: HTMLElement) {
		this.settingEl = containerEl.createDiv("setting-item");
		this.infoEl = this.settingEl.createDiv("setting-item-info");
		this.nameEl = this.infoEl.createDiv({ cls: "setting-item-name", attr: { id: `${this.id}-name` } });
		this.descEl = this.infoEl.createDiv({ cls: "setting-item-description", attr: { id: `${this.id}-desc` } });
		this.controlEl = this.settingEl.createDiv("setting-item-control");
	}

	setName(name: string | DocumentFragment): this {
		this.nameEl.setText(name);
		return this;
	}

	setDesc(desc: string | DocumentFragment): this {
		this.descEl.setText(desc);
		return this;
	}

	setClass(cls: string): this {
		this.settingEl.addClass(cls);
		return this;
	}

	setTooltip(tooltip: string, options?: TooltipOptions): this {
		setTooltip(this.nameEl, tooltip, options);
		return this;
	}

	setHeading(): this {
		this.settingEl.addClass("setting-item-heading");
		this.nameEl.setAttrs({ role: "heading", "aria-level": 3 });
		return this;
	}

	setDisabled(disabled: boolean): this {
		this.settingEl.toggleClass("is-disabled", disabled);
		for (const component of this.components) component.setDisabled(disabled);
		return this;
	}

	/** Shows what is wrong with the value under the row; null takes it away. */
	setErrorMessage(message: string | null): this {
		this.errorEl?.remove();
		this.errorEl =
			message === null
				? null
				: this.infoEl.createDiv({ cls: "setting-item-error", text: message, attr: { role: "alert" } });
		this.settingEl.toggleClass("has-error", message !== null);
		return this;
	}

	addButton(cb: (component: ButtonComponent) => unknown): this {
		return this.add(new ButtonComponent(this.controlEl), cb);
	}

	addExtraButton(cb: (component: ExtraButtonComponent) => unknown): this {
		return this.add(new ExtraButtonComponent(this.controlEl), cb);
	}

	addToggle(cb: (component: ToggleComponent) => unknown): this {
		this.settingEl.addClass("mod-toggle");
		return this.add(new ToggleComponent(this.controlEl), cb);
	}

	addText(cb: (component: TextComponent) => unknown): this {
		return this.add(new TextComponent(this.controlEl), cb);
	}

	addSearch(cb: (component: SearchComponent) => unknown): this {
		return this.add(new SearchComponent(this.controlEl), cb);
	}

	addTextArea(cb: (component: TextAreaComponent) => unknown): this {
		return this.add(new TextAreaComponent(this.controlEl), cb);
	}

	addMomentFormat(cb: (component: MomentFormatComponent) => unknown): this {
		return this.add(new MomentFormatComponent(this.controlEl), cb);
	}

	addDropdown(cb: (component: DropdownComponent) => unknown): this {
		return this.add(new DropdownComponent(this.controlEl), cb);
	}

	addColorPicker(cb: (component: ColorComponent) => unknown): this {
		return this.add(new ColorComponent(this.controlEl), cb);
	}

	addProgressBar(cb: (component: ProgressBarComponent) => unknown): this {
		return this.add(new ProgressBarComponent(this.controlEl), cb);
	}

	addSlider(cb: (component: SliderComponent) => unknown): this {
		return this.add(new SliderComponent(this.controlEl), cb);
	}

	addDisplayValue(cb: (component: DisplayValueComponent) => unknown): this {
		return this.add(new DisplayValueComponent(this.controlEl), cb);
	}

	addComponent<T extends BaseComponent>(cb: (el: HTMLElement) => T): this {
		const component = cb(this.controlEl);
		this.components.push(component);
		this.label();
		return this;
	}

	then(cb: (setting: this) => unknown): this {
		cb(this);
		return this;
	}

	clear(): this {
		this.controlEl.empty();
		this.components = [];
		return this;
	}

	private add<T extends BaseComponent>(component: T, cb: (component: T) => unknown): this {
		this.components.push(component);
		cb(component);
		this.label();
		return this;
	}

	/** The row's name names its controls, for screen readers and for tests that find controls by name. */
	private label(): void {
		for (const control of this.controlEl.querySelectorAll("input, select, textarea")) {
			if (control.hasAttribute("aria-label") || control.hasAttribute("aria-labelledby")) continue;
			control.setAttribute("aria-labelledby", this.nameEl.id);
			control.setAttribute("aria-describedby", this.descEl.id);
		}
	}
}
