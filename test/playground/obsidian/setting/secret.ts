import type { App } from "../app";
import { BaseComponent } from "./base";
import { ButtonComponent } from "./button";
import { Modal } from "../modal";
import { Setting } from "./setting";

/** Chooses a secret by its name, or makes one; the value is the name, never the secret. */
export class SecretComponent extends BaseComponent {
	private readonly button: ButtonComponent;
	private readonly nameEl: HTMLElement;
	private callback: ((value: string) => unknown) | undefined;

	constructor(
		private readonly app: App,
		containerEl: HTMLElement,
	) {
		super();
		this.nameEl = containerEl.createSpan("secret-name");
		this.button = new ButtonComponent(containerEl).onClick(() =>
			new SecretModal(this.app, (id) => this.choose(id)).open(),
		);
		this.setValue("");
	}

	override setDisabled(disabled: boolean): this {
		this.button.setDisabled(disabled);
		return super.setDisabled(disabled);
	}

	setValue(value: string): this {
		this.nameEl.setText(value);
		this.button.setButtonText(value === "" ? "Link…" : "Change…");
		return this;
	}

	onChange(callback: (value: string) => unknown): this {
		this.callback = callback;
		return this;
	}

	private choose(id: string): void {
		this.setValue(id);
		this.callback?.(id);
	}
}

class SecretModal extends Modal {
	constructor(
		app: App,
		private readonly choose: (id: string) => void,
	) {
		super(app);
		this.setTitle("Secrets");
	}

	override onOpen(): void {
		for (const id of this.app.secretStorage.listSecrets())
			new Setting(this.contentEl)
				.setName(id)
				.addButton((button) => button.setButtonText("Use").onClick(() => this.use(id)));
		let id = "";
		let secret = "";
		new Setting(this.contentEl).setName("New secret").setHeading();
		new Setting(this.contentEl)
			.setName("ID")
			.addText((text) => text.setPlaceholder("my-api-key").onChange((value) => (id = value)));
		new Setting(this.contentEl).setName("Secret").addText((text) => {
			text.inputEl.type = "password";
			text.onChange((value) => (secret = value));
		});
		const error = this.contentEl.createDiv({ cls: "setting-error", attr: { role: "alert" } });
		new Setting(this.contentEl).addButton((button) =>
			button
				.setButtonText("Save")
				.setCta()
				.onClick(() => {
					try {
						this.app.secretStorage.setSecret(id, secret);
						this.use(id);
					} catch (problem) {
						error.setText(problem instanceof Error ? problem.message : String(problem));
					}
				}),
		);
	}

	private use(id: string): void {
		this.close();
		this.choose(id);
	}
}
