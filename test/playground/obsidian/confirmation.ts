import type { App } from "./app";
import { Modal } from "./modal";
import { ButtonComponent } from "./setting/button";

/** A button of a confirmation: it closes the dialog unless its handler says otherwise by rejecting. */
export class ConfirmationButton extends ButtonComponent {
	constructor(
		containerEl: HTMLElement,
		private readonly modal: Modal,
	) {
		super(containerEl);
		super.onClick(() => this.modal.close());
	}

	override onClick(handler: (event: MouseEvent) => unknown): this {
		return super.onClick(async (event) => {
			await handler(event);
			this.modal.close();
		});
	}

	setInitialFocus(): this {
		setTimeout(() => this.buttonEl.focus());
		return this;
	}

	setSecondary(): this {
		this.buttonEl.addClass("mod-secondary");
		return this;
	}

	setCancel(): this {
		this.buttonEl.addClass("mod-cancel");
		return this;
	}
}

/** A question with buttons. */
export class ConfirmationModal extends Modal {
	buttonContainerEl: HTMLElement;

	constructor(app: App) {
		super(app);
		this.modalEl.addClass("mod-confirmation");
		this.buttonContainerEl = this.modalEl.createDiv("modal-button-container");
	}

	addClass(cls: string): this {
		this.modalEl.addClass(cls);
		return this;
	}

	addCheckbox(label: string, cb: (value: boolean) => unknown): this {
		const row = this.buttonContainerEl.createEl("label", { cls: "mod-checkbox" });
		const box = row.createEl("input", { type: "checkbox" });
		row.appendText(label);
		box.addEventListener("change", () => cb(box.checked));
		return this;
	}

	addButton(cb: (button: ConfirmationButton) => unknown): this {
		cb(new ConfirmationButton(this.buttonContainerEl, this));
		return this;
	}

	addCancelButton(text = "Cancel"): this {
		return this.addButton((button) => button.setButtonText(text).setCancel());
	}
}
