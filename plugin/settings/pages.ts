// Pages of the settings whose content is more than a list of controls.

import { SecretComponent, Setting, SettingPage, type App } from "obsidian";
import { allowHost, originOf } from "../host/key-hosts";
import { t } from "../../i18n";
import { asProblem } from "../panel/core";
import type { PanelController } from "../panel/controller.svelte";
import type { PartName } from "../panel/show";
import type EmbeddedAgentPlugin from "../plugin";
import type { HTTPHost, NamedSecret, SecretView } from "../protocol";

/** A page that is one of the panel's components. */
export class PanelPage extends SettingPage {
	private hidePart: (() => Promise<void>) | null = null;
	private shown = 0;

	constructor(
		private readonly controller: () => Promise<PanelController>,
		private readonly part: PartName,
	) {
		super();
	}

	override display(): void {
		this.hide();
		this.containerEl.empty();
		const shown = ++this.shown;
		void Promise.all([this.controller(), import("../panel/show")]).then(([controller, { showPart }]) => {
			if (shown === this.shown) this.hidePart = showPart(this.containerEl, controller, this.part);
		});
	}

	override hide(): void {
		this.shown++;
		void this.hidePart?.();
		this.hidePart = null;
	}
}

/** A page that edits a list: one block of controls per entry, and a button for a new one. */
abstract class ListPage<T> extends SettingPage {
	/** Where the page says what went wrong, or what the core knows. */
	protected noteEl!: HTMLElement;
	/** The buttons that delete each entry, in their order. */
	private deleters: HTMLElement[] = [];
	private addEl!: HTMLElement;

	constructor(protected readonly agent: EmbeddedAgentPlugin) {
		super();
	}

	protected abstract readonly words: { text: string; add: string; none: string };
	protected abstract entries(): readonly T[];
	protected abstract fresh(): T;
	protected abstract keep(entries: T[]): Promise<void>;
	protected abstract row(parent: HTMLElement, entry: T, index: number): void;

	override display(): void {
		const el = this.containerEl;
		el.empty();
		el.createEl("p", { cls: "setting-item-description", text: this.words.text });
		this.noteEl = el.createDiv({ cls: "setting-item-description" });
		this.deleters = [];
		const entries = this.entries();
		if (entries.length === 0) el.createEl("p", { cls: "setting-list-empty", text: this.words.none });
		entries.forEach((entry, index) => this.row(el, entry, index));
		new Setting(el).addButton((button) => {
			this.addEl = button.buttonEl;
			button.setButtonText(this.words.add).onClick(() => void this.add());
		});
	}

	/** Begins a new entry, which is written next. */
	private async add(): Promise<void> {
		await this.keep([...this.entries(), this.fresh()]);
		this.display();
		this.deleters.at(-1)?.closest(".setting-item")?.querySelector("input")?.focus();
	}

	/** Deletes an entry; the keyboard goes to the next one, to the last, or to the button for a new one. */
	private async delete(index: number): Promise<void> {
		await this.keep(this.entries().filter((_, i) => i !== index));
		this.display();
		(this.deleters[index] ?? this.deleters.at(-1) ?? this.addEl).focus();
	}

	/** Keeps one entry changed; what is being typed in stays as it is. */
	protected async set(index: number, change: Partial<T>): Promise<void> {
		await this.keep(this.entries().map((entry, i) => (i === index ? { ...entry, ...change } : entry)));
	}

	protected remove(setting: Setting, index: number, label: string): void {
		setting.addExtraButton((button) => {
			this.deleters.push(button.extraSettingsEl);
			button
				.setIcon("trash-2")
				.setTooltip(label)
				.onClick(() => void this.delete(index));
		});
	}
}

/** The names of tools' secrets, the scope of each, and where the core finds it now. */
export class SecretsPage extends ListPage<NamedSecret> {
	protected readonly words = {
		text: t("settings.secrets.text"),
		add: t("settings.secrets.add"),
		none: t("settings.secrets.none"),
	};

	constructor(
		private readonly app: App,
		agent: EmbeddedAgentPlugin,
	) {
		super(agent);
	}

	protected entries(): readonly NamedSecret[] {
		return this.agent.data.secrets;
	}

	protected fresh(): NamedSecret {
		return { name: "", scope: "device", secret: "", hosts: [] };
	}

	protected async keep(secrets: NamedSecret[]): Promise<void> {
		await this.agent.changeData({ secrets });
		void this.tell();
	}

	override display(): void {
		super.display();
		void this.tell();
	}

	protected row(parent: HTMLElement, entry: NamedSecret, index: number): void {
		const name = entry.name || t("settings.secrets.new");
		const setting = new Setting(parent).setName(name);
		setting.addText((text) =>
			text
				.setPlaceholder(t("settings.secrets.name"))
				.setValue(entry.name)
				.onChange((value) => void this.set(index, { name: value.trim() })),
		);
		setting.addDropdown((dropdown) =>
			dropdown
				.addOptions({ device: t("settings.scope.device"), vault: t("settings.scope.vault") })
				.setValue(entry.scope)
				.onChange((scope) => void this.set(index, { scope })),
		);
		setting.addComponent((el) =>
			new SecretComponent(this.app, el)
				.setValue(entry.secret)
				.onChange((secret) => void this.setHosts(index, { secret })),
		);
		this.remove(setting, index, t("settings.secrets.remove", { name }));
		new Setting(parent)
			.setClass("ea-sub-setting")
			.setName(t("settings.secrets.hosts", { name }))
			.setDesc(t("settings.secrets.hosts.desc"))
			.addText(({ inputEl }) => {
				inputEl.placeholder = "api.example.com";
				inputEl.value = entry.hosts.join(", ");
				inputEl.setAttribute("aria-label", t("settings.secrets.hosts", { name }));
				// Not at every letter: half a name is another host.
				inputEl.addEventListener(
					"change",
					() => void this.setHosts(index, { hosts: hostsIn(inputEl.value) }),
				);
			});
	}

	/** Keeps where a key may go, and lets this device send it there: the person has the hosts before their eyes. */
	private async setHosts(index: number, change: Partial<NamedSecret>): Promise<void> {
		await this.set(index, change);
		const entry = this.entries()[index];
		for (const host of entry?.hosts ?? []) {
			const origin = originOf(host.includes("://") ? host : `https://${host}`);
			if (entry?.secret) allowHost(this.app, entry.secret, origin);
		}
		void this.tell();
	}

	/** Says where each secret is found, as the core resolves it. */
	private async tell(): Promise<void> {
		try {
			const { secrets } = await this.agent.ask("secrets.list", {});
			this.noteEl.empty();
			for (const secret of secrets ?? []) this.noteEl.createEl("p", foundAt(secret));
		} catch (error) {
			this.noteEl.setText(t(asProblem(error)));
		}
	}
}

function foundAt({ name, scope, has, tools, hosts, unconfirmed }: SecretView): { text: string; cls: string } {
	const words = [
		has ? t(`settings.secrets.found.${scope}`, { name }) : t("settings.secrets.missing", { name }),
		hosts?.length ? t("settings.secrets.goes", { hosts: hosts.join(", ") }) : t("settings.secrets.noHost"),
	];
	if (has && unconfirmed?.length) words.push(t("settings.secrets.asks", { hosts: unconfirmed.join(", ") }));
	if (tools?.length) words.push(t("settings.secrets.tools", { tools: tools.join(", ") }));
	return { text: words.join(" "), cls: has && scope !== "organisation" ? "" : "mod-warning" };
}

/** The hosts in a line of them. */
function hostsIn(text: string): string[] {
	return text
		.split(/[\s,;]+/)
		.map((host) => host.toLowerCase())
		.filter(Boolean);
}

/** The hosts that the HTTP tool may reach. */
export class HostsPage extends ListPage<HTTPHost> {
	protected readonly words = {
		text: t("settings.httpHosts.text"),
		add: t("settings.httpHosts.add"),
		none: t("settings.httpHosts.none"),
	};

	protected entries(): readonly HTTPHost[] {
		return this.agent.data.httpHosts;
	}

	protected fresh(): HTTPHost {
		return { host: "", methods: ["GET"] };
	}

	protected keep(httpHosts: HTTPHost[]): Promise<void> {
		return this.agent.changeData({ httpHosts });
	}

	protected row(parent: HTMLElement, entry: HTTPHost, index: number): void {
		const name = entry.host || t("settings.httpHosts.new");
		const setting = new Setting(parent).setName(name);
		setting.addText((text) =>
			text
				.setPlaceholder("api.example.com")
				.setValue(entry.host)
				.onChange((host) => void this.set(index, { host: host.trim().toLowerCase() })),
		);
		setting.addText((text) =>
			text
				.setPlaceholder(t("settings.httpHosts.methods"))
				.setValue(entry.methods.join(", "))
				.onChange((value) => void this.set(index, { methods: methodsIn(value) })),
		);
		this.remove(setting, index, t("settings.httpHosts.remove", { host: name }));
		new Setting(parent)
			.setClass("ea-sub-setting")
			.setName(t("settings.httpHosts.unlimitedName", { host: name }))
			.setDesc(t("settings.httpHosts.unlimited"))
			.addToggle((toggle) =>
				toggle
					.setValue(entry.unlimited ?? false)
					.onChange((unlimited) => void this.set(index, { unlimited })),
			);
	}
}

function methodsIn(text: string): string[] {
	return text
		.toUpperCase()
		.split(/[^A-Z]+/)
		.filter(Boolean);
}
