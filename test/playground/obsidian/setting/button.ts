import { setIcon } from "../icons";
import { setTooltip, type TooltipOptions } from "../tooltip";
import { BaseComponent } from "./base";

export class ButtonComponent extends BaseComponent {
	buttonEl: HTMLButtonElement;
	private callback: ((event: MouseEvent) => unknown) | undefined;

	constructor(containerEl: HTMLElement) {
		super();
		this.buttonEl = containerEl.createEl("button", { attr: { type: "button" } });
		this.buttonEl.addEventListener("click", (event) => void this.press(event));
	}

	override setDisabled(disabled: boolean): this {
		this.buttonEl.disabled = disabled;
		return super.setDisabled(disabled);
	}

	setCta(): this {
		this.buttonEl.addClass("mod-cta");
		return this;
	}

	removeCta(): this {
		this.buttonEl.removeClass("mod-cta");
		return this;
	}

	setWarning(): this {
		this.buttonEl.addClass("mod-warning");
		return this;
	}

	setDestructive(): this {
		this.buttonEl.addClass("mod-destructive");
		return this;
	}

	removeDestructive(): this {
		this.buttonEl.removeClass("mod-destructive");
		return this;
	}

	setTooltip(tooltip: string, options?: TooltipOptions): this {
		setTooltip(this.buttonEl, tooltip, options);
		return this;
	}

	setButtonText(name: string): this {
		this.buttonEl.setText(name);
		return this;
	}

	setIcon(icon: string): this {
		setIcon(this.buttonEl, icon);
		return this;
	}

	setClass(cls: string): this {
		this.buttonEl.addClass(cls);
		return this;
	}

	setLoading(loading: boolean): this {
		this.buttonEl.toggleClass("mod-loading", loading);
		this.buttonEl.setAttribute("aria-busy", String(loading));
		return this;
	}

	onClick(callback: (event: MouseEvent) => unknown): this {
		this.callback = callback;
		return this;
	}

	/** While the handler's promise is open the button shows that it is busy. */
	private async press(event: MouseEvent): Promise<void> {
		const result = this.callback?.(event);
		if (!(result instanceof Promise)) return;
		this.setLoading(true);
		try {
			await result;
		} finally {
			this.setLoading(false);
		}
	}
}

/** A small icon button at the end of a setting. */
export class ExtraButtonComponent extends BaseComponent {
	extraSettingsEl: HTMLElement;
	private callback: (() => unknown) | undefined;

	constructor(containerEl: HTMLElement) {
		super();
		this.extraSettingsEl = containerEl.createDiv({
			cls: "clickable-icon extra-setting-button",
			attr: { role: "button", tabindex: "0" },
		});
		setIcon(this.extraSettingsEl, "settings");
		this.extraSettingsEl.addEventListener("click", () => this.press());
		this.extraSettingsEl.addEventListener("keydown", (event) => {
			if (event.key === "Enter" || event.key === " ") this.press();
		});
	}

	override setDisabled(disabled: boolean): this {
		this.extraSettingsEl.toggleClass("is-disabled", disabled);
		this.extraSettingsEl.setAttribute("aria-disabled", String(disabled));
		return super.setDisabled(disabled);
	}

	setTooltip(tooltip: string, options?: TooltipOptions): this {
		setTooltip(this.extraSettingsEl, tooltip, options);
		return this;
	}

	setIcon(icon: string): this {
		setIcon(this.extraSettingsEl, icon);
		return this;
	}

	onClick(callback: () => unknown): this {
		this.callback = callback;
		return this;
	}

	private press(): void {
		if (!this.disabled) this.callback?.();
	}
}
