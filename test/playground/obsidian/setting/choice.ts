import { setTooltip, type TooltipOptions } from "../tooltip";
import { BaseComponent, ValueComponent } from "./base";

export class ToggleComponent extends ValueComponent<boolean> {
	toggleEl: HTMLElement;
	private readonly box: HTMLInputElement;
	private callback: ((value: boolean) => unknown) | undefined;

	constructor(containerEl: HTMLElement) {
		super();
		this.toggleEl = containerEl.createEl("label", { cls: "checkbox-container" });
		this.box = this.toggleEl.createEl("input", { type: "checkbox", attr: { role: "switch", tabindex: "0" } });
		this.box.addEventListener("change", () => this.changed());
	}

	override setDisabled(disabled: boolean): this {
		this.box.disabled = disabled;
		this.toggleEl.toggleClass("is-disabled", disabled);
		return super.setDisabled(disabled);
	}

	getValue(): boolean {
		return this.box.checked;
	}

	setValue(on: boolean): this {
		const before = this.box.checked;
		this.box.checked = on;
		this.toggleEl.toggleClass("is-enabled", on);
		if (before !== on) this.callback?.(on);
		return this;
	}

	setTooltip(tooltip: string, options?: TooltipOptions): this {
		setTooltip(this.toggleEl, tooltip, options);
		return this;
	}

	onClick(): void {
		this.setValue(!this.getValue());
	}

	onChange(callback: (value: boolean) => unknown): this {
		this.callback = callback;
		return this;
	}

	private changed(): void {
		this.toggleEl.toggleClass("is-enabled", this.box.checked);
		this.callback?.(this.box.checked);
	}
}

export class DropdownComponent extends ValueComponent<string> {
	selectEl: HTMLSelectElement;
	private callback: ((value: string) => unknown) | undefined;

	constructor(containerEl: HTMLElement) {
		super();
		this.selectEl = containerEl.createEl("select", { cls: "dropdown" });
		this.selectEl.addEventListener("change", () => this.callback?.(this.selectEl.value));
	}

	override setDisabled(disabled: boolean): this {
		this.selectEl.disabled = disabled;
		return super.setDisabled(disabled);
	}

	addOption(value: string, display: string): this {
		this.selectEl.createEl("option", { value, text: display });
		return this;
	}

	addOptions(options: Record<string, string>): this {
		for (const [value, display] of Object.entries(options)) this.addOption(value, display);
		return this;
	}

	getValue(): string {
		return this.selectEl.value;
	}

	setValue(value: string): this {
		this.selectEl.value = value;
		return this;
	}

	onChange(callback: (value: string) => unknown): this {
		this.callback = callback;
		return this;
	}
}

export class SliderComponent extends ValueComponent<number> {
	sliderEl: HTMLInputElement;
	private readonly valueEl: HTMLElement;
	private callback: ((value: number) => unknown) | undefined;
	private instant = false;
	private format: ((value: number) => string) | undefined;

	constructor(containerEl: HTMLElement) {
		super();
		this.valueEl = containerEl.createSpan("slider-value");
		this.sliderEl = containerEl.createEl("input", { cls: "slider", type: "range" });
		this.sliderEl.addEventListener("input", () => this.moved(this.instant));
		this.sliderEl.addEventListener("change", () => this.moved(!this.instant));
	}

	override setDisabled(disabled: boolean): this {
		this.sliderEl.disabled = disabled;
		return super.setDisabled(disabled);
	}

	setInstant(instant: boolean): this {
		this.instant = instant;
		return this;
	}

	setLimits(min: number | null, max: number | null, step: number | "any"): this {
		if (min !== null) this.sliderEl.min = String(min);
		if (max !== null) this.sliderEl.max = String(max);
		this.sliderEl.step = String(step);
		return this;
	}

	getValue(): number {
		return Number(this.sliderEl.value);
	}

	setValue(value: number): this {
		this.sliderEl.value = String(value);
		this.showValue();
		return this;
	}

	getValuePretty(): string {
		return this.format ? this.format(this.getValue()) : this.sliderEl.value;
	}

	setDisplayFormat(format: (value: number) => string): this {
		this.format = format;
		this.showValue();
		return this;
	}

	setDynamicTooltip(): this {
		this.showValue();
		return this;
	}

	showTooltip(): void {
		this.showValue();
	}

	onChange(callback: (value: number) => unknown): this {
		this.callback = callback;
		return this;
	}

	private moved(report: boolean): void {
		this.showValue();
		if (report) this.callback?.(this.getValue());
	}

	private showValue(): void {
		this.valueEl.setText(this.getValuePretty());
		this.sliderEl.setAttribute("aria-valuetext", this.getValuePretty());
	}
}

export class ProgressBarComponent extends ValueComponent<number> {
	progressBar: HTMLElement;
	private readonly line: HTMLElement;
	private value = 0;

	constructor(containerEl: HTMLElement) {
		super();
		this.progressBar = containerEl.createDiv({
			cls: "setting-progress-bar",
			attr: { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 },
		});
		this.line = this.progressBar.createDiv("setting-progress-bar-inner");
		this.setValue(0);
	}

	getValue(): number {
		return this.value;
	}

	/** `value` is 0 to 100. */
	setValue(value: number): this {
		this.value = Math.clamp(value, 0, 100);
		this.line.style.width = `${this.value}%`;
		this.progressBar.setAttribute("aria-valuenow", String(this.value));
		return this;
	}
}

/** A value shown at the end of a setting, with a mark where it needs attention. */
export class DisplayValueComponent extends BaseComponent {
	valueEl: HTMLElement;

	constructor(containerEl: HTMLElement) {
		super();
		this.valueEl = containerEl.createSpan("setting-display-value");
	}

	setValue(value: string | null): this {
		this.valueEl.setText(value ?? "");
		return this;
	}

	setStatus(status: "warning" | null): this {
		this.valueEl.toggleClass("mod-warning", status === "warning");
		return this;
	}
}
