import moment from "moment";
import { setIcon } from "../icons";
import { ValueComponent } from "./base";

export class AbstractTextComponent<
	T extends HTMLInputElement | HTMLTextAreaElement,
> extends ValueComponent<string> {
	inputEl: T;
	private callback: ((value: string) => unknown) | undefined;

	constructor(inputEl: T) {
		super();
		this.inputEl = inputEl;
		inputEl.addEventListener("input", () => this.onChanged());
	}

	override setDisabled(disabled: boolean): this {
		this.inputEl.disabled = disabled;
		return super.setDisabled(disabled);
	}

	getValue(): string {
		return this.inputEl.value;
	}

	setValue(value: string): this {
		this.inputEl.value = value;
		return this;
	}

	setPlaceholder(placeholder: string): this {
		this.inputEl.placeholder = placeholder;
		return this;
	}

	onChanged(): void {
		this.callback?.(this.inputEl.value);
	}

	onChange(callback: (value: string) => unknown): this {
		this.callback = callback;
		return this;
	}
}

export class TextComponent extends AbstractTextComponent<HTMLInputElement> {
	constructor(containerEl: HTMLElement) {
		super(containerEl.createEl("input", { type: "text", attr: { spellcheck: false } }));
	}
}

export class TextAreaComponent extends AbstractTextComponent<HTMLTextAreaElement> {
	constructor(containerEl: HTMLElement) {
		super(containerEl.createEl("textarea", { attr: { spellcheck: false } }));
	}
}

export class SearchComponent extends AbstractTextComponent<HTMLInputElement> {
	containerEl: HTMLElement;
	clearButtonEl: HTMLElement;

	constructor(containerEl: HTMLElement) {
		const box = containerEl.createDiv("search-input-container");
		super(box.createEl("input", { type: "search", attr: { enterkeyhint: "search", spellcheck: false } }));
		this.containerEl = box;
		this.clearButtonEl = box.createDiv({
			cls: "search-input-clear-button",
			attr: { role: "button", "aria-label": "Clear search" },
		});
		setIcon(this.clearButtonEl, "x");
		this.clearButtonEl.addEventListener("click", () => {
			this.setValue("");
			this.onChanged();
			this.inputEl.focus();
		});
		this.showClear();
	}

	override setValue(value: string): this {
		super.setValue(value);
		this.showClear();
		return this;
	}

	override onChanged(): void {
		this.showClear();
		super.onChanged();
	}

	setClass(cls: string): this {
		this.containerEl.addClass(cls);
		return this;
	}

	private showClear(): void {
		this.clearButtonEl?.toggle(this.inputEl.value !== "");
	}
}

/** A date format with a sample of what it gives. */
export class MomentFormatComponent extends TextComponent {
	sampleEl: HTMLElement = createSpan();
	private defaultFormat = "";

	setDefaultFormat(defaultFormat: string): this {
		this.defaultFormat = defaultFormat;
		this.setPlaceholder(defaultFormat);
		this.updateSample();
		return this;
	}

	setSampleEl(sampleEl: HTMLElement): this {
		this.sampleEl = sampleEl;
		this.updateSample();
		return this;
	}

	override setValue(value: string): this {
		super.setValue(value);
		this.updateSample();
		return this;
	}

	override onChanged(): void {
		this.updateSample();
		super.onChanged();
	}

	updateSample(): void {
		this.sampleEl.setText(moment().format(this.getValue() || this.defaultFormat));
	}
}
