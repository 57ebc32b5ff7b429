import type { Extension } from "@codemirror/state";
import type { App } from "./app";
import type { Command } from "./commands";
import { Component } from "./component";
import { throwByName } from "./not-implemented";
import {
	createCodeBlockPostProcessor,
	registerPostProcessor,
	unregisterPostProcessor,
	type MarkdownPostProcessor,
	type MarkdownPostProcessorContext,
} from "./post-processors";
import type { PluginSettingTab } from "./setting/tab";
import type { ViewCreator } from "./workspace/workspace";

export interface PluginManifest {
	dir?: string;
	id: string;
	name: string;
	author: string;
	version: string;
	minAppVersion: string;
	description: string;
	authorUrl?: string;
	isDesktopOnly?: boolean;
}

/** What a community plugin extends. */
export abstract class Plugin extends Component {
	app: App;
	manifest: PluginManifest;
	settings?: unknown;
	private lastData: string | undefined;

	constructor(app: App, manifest: PluginManifest) {
		super();
		this.app = app;
		this.manifest = manifest;
	}

	onUserEnable(): void {
		return undefined;
	}

	onExternalSettingsChange?(): unknown;

	addRibbonIcon(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
		const ribbon = this.app.workspace.leftRibbon;
		const id = `${this.manifest.id}:${title}`;
		const el = ribbon.addRibbonItemButton(id, icon, title, callback);
		this.register(() => ribbon.removeRibbonAction(id));
		return el;
	}

	addStatusBarItem(): HTMLElement {
		const el = this.app.statusBar.addItem(`plugin-${this.manifest.id}`);
		this.register(() => el.remove());
		return el;
	}

	/** The id gets the plugin's id in front, the name the plugin's name, as in the app. */
	addCommand(command: Command): Command {
		command.id = `${this.manifest.id}:${command.id}`;
		command.name = `${this.manifest.name}: ${command.name}`;
		this.app.commands.addCommand(command);
		this.register(() => this.app.commands.removeCommand(command.id));
		return command;
	}

	removeCommand(commandId: string): void {
		this.app.commands.removeCommand(`${this.manifest.id}:${commandId}`);
	}

	addSettingTab(settingTab: PluginSettingTab): void {
		this.app.setting.addSettingTab(settingTab);
		this.register(() => this.app.setting.removeSettingTab(settingTab));
	}

	registerView(type: string, viewCreator: ViewCreator): void {
		this.app.workspace.registerViewType(type, viewCreator);
		this.register(() => this.app.workspace.unregisterViewType(type));
	}

	registerExtensions(extensions: string[], viewType: string): void {
		this.app.workspace.registerExtensions(extensions, viewType);
		this.register(() => this.app.workspace.unregisterExtensions(extensions));
	}

	registerMarkdownPostProcessor(processor: MarkdownPostProcessor, sortOrder?: number): MarkdownPostProcessor {
		registerPostProcessor(processor, sortOrder);
		this.register(() => unregisterPostProcessor(processor));
		return processor;
	}

	registerMarkdownCodeBlockProcessor(
		language: string,
		handler: (source: string, el: HTMLElement, ctx: MarkdownPostProcessorContext) => Promise<unknown> | void,
		sortOrder?: number,
	): MarkdownPostProcessor {
		return this.registerMarkdownPostProcessor(createCodeBlockPostProcessor(language, handler), sortOrder);
	}

	registerEditorExtension(extension: Extension): void {
		const { workspace } = this.app;
		workspace.editorExtensions.push(extension);
		workspace.updateOptions();
		this.register(() => {
			workspace.editorExtensions.remove(extension);
			workspace.updateOptions();
		});
	}

	registerObsidianProtocolHandler(
		action: string,
		handler: (params: Record<string, string>) => unknown,
	): void {
		this.app.workspace.protocolHandlers.set(action, handler);
		this.register(() => this.app.workspace.protocolHandlers.delete(action));
	}

	registerHoverLinkSource(_id: string, _info: unknown): void {
		return undefined;
	}

	/** What `data.json` holds, or null. */
	async loadData(): Promise<unknown> {
		const { adapter } = this.app.vault;
		if (!(await adapter.exists(this.dataPath))) return null;
		this.lastData = await adapter.read(this.dataPath);
		return JSON.parse(this.lastData) as unknown;
	}

	async saveData(data: unknown): Promise<void> {
		this.lastData = JSON.stringify(data, null, 2);
		await this.app.vault.adapter.write(this.dataPath, this.lastData);
	}

	/** Called when `data.json` changed on disk; a change that this plugin did not make is passed on. */
	async onConfigFileChange(): Promise<void> {
		if (!this.onExternalSettingsChange) return;
		const { adapter } = this.app.vault;
		const text = (await adapter.exists(this.dataPath)) ? await adapter.read(this.dataPath) : undefined;
		if (text === this.lastData) return;
		this.lastData = text;
		await this.onExternalSettingsChange();
	}

	private get dataPath(): string {
		return `${this.manifest.dir}/data.json`;
	}
}
throwByName(Plugin.prototype, "Plugin", ["registerBasesView", "registerEditorSuggest", "registerCliHandler"]);
