import type { App } from "../app";
import type { ConfigValue } from "../config";
import type { Plugin } from "../plugin";
import type { Item } from "./definitions";
import { DefinitionRenderer } from "./render";

/** One tab of the settings window. */
export abstract class SettingTab {
	id = "";
	name = "";
	icon = "";
	app: App;
	containerEl: HTMLElement;
	settingItems: Item[] = [];
	private readonly renderer = new DefinitionRenderer(this);
	private shown = false;

	constructor(app: App) {
		this.app = app;
		this.containerEl = createDiv("vertical-tab-content");
	}

	getSettingDefinitions(): Item[] {
		return [];
	}

	/** Asks for the definitions again, and draws them where the tab is open. */
	update(): void {
		this.settingItems = this.getSettingDefinitions();
		if (this.shown && this.settingItems.length > 0) this.renderer.render();
	}

	getControlValue(key: string): unknown {
		return this.app.vault.getConfig(key);
	}

	setControlValue(key: string, value: unknown): void | Promise<void> {
		this.app.vault.setConfig(key, value as ConfigValue);
	}

	refreshDomState(): void {
		this.renderer.refresh();
	}

	display(): void {
		return undefined;
	}

	hide(): void {
		return undefined;
	}

	/** Called by the settings window when the tab is chosen. */
	show(): void {
		this.shown = true;
		this.update();
		if (this.settingItems.length === 0) this.display();
	}

	/** Called by the settings window when another is chosen, or it is closed. */
	leave(): void {
		this.shown = false;
		this.renderer.clear();
		this.hide();
		this.containerEl.empty();
	}
}

/** A plugin's tab: values live in `plugin.settings` and are saved with the plugin's data. */
export abstract class PluginSettingTab extends SettingTab {
	plugin: Plugin;

	constructor(app: App, plugin: Plugin) {
		super(app);
		this.plugin = plugin;
		this.id = plugin.manifest.id;
		this.name = plugin.manifest.name;
	}

	override getControlValue(key: string): unknown {
		return (this.plugin.settings as Record<string, unknown> | undefined)?.[key];
	}

	override async setControlValue(key: string, value: unknown): Promise<void> {
		const settings = (this.plugin.settings ??= {}) as Record<string, unknown>;
		settings[key] = value;
		await this.plugin.saveData(settings);
	}
}
