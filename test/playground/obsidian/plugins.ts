/** `app.plugins`: finds, loads and unloads community plugins. Not in the public typings. */
import type { App } from "./app";
import { Notice } from "./notice";
import { Plugin, type PluginManifest } from "./plugin";

export type PluginFactory = (main: string, id: string) => new (app: App, manifest: PluginManifest) => Plugin;

export class Plugins {
	manifests: Record<string, PluginManifest> = {};
	plugins: Record<string, Plugin> = {};
	enabledPlugins = new Set<string>();
	/** The styles of each loaded plugin. */
	private readonly styles = new Map<string, HTMLStyleElement>();

	constructor(
		private readonly app: App,
		private readonly evaluate: PluginFactory,
	) {}

	/** Reads all manifests and loads what `community-plugins.json` lists. */
	async initialize(): Promise<void> {
		await this.loadManifests();
		const listed = await this.app.vault.adapter.readAsApp(this.listPath);
		const enabled = listed === null ? Object.keys(this.manifests) : (JSON.parse(listed) as string[]);
		for (const id of enabled) {
			this.enabledPlugins.add(id);
			if (this.manifests[id]) await this.loadPlugin(id);
		}
		this.app.vault.on("raw", (path: string) => this.onRawChange(path));
	}

	getPlugin(id: string): Plugin | null {
		return this.plugins[id] ?? null;
	}

	isEnabled(): boolean {
		return true;
	}

	async loadManifests(): Promise<void> {
		const { adapter, configDir } = this.app.vault;
		const dir = `${configDir}/plugins`;
		if (!(await adapter.exists(dir))) return;
		for (const folder of (await adapter.list(dir)).folders) {
			const text = await adapter.readAsApp(`${folder}/manifest.json`);
			if (text === null) continue;
			const manifest = JSON.parse(text) as PluginManifest;
			manifest.dir = folder;
			this.manifests[manifest.id] = manifest;
		}
	}

	async enablePlugin(id: string): Promise<boolean> {
		this.enabledPlugins.add(id);
		return (await this.loadPlugin(id)) !== null;
	}

	async disablePlugin(id: string): Promise<void> {
		this.enabledPlugins.delete(id);
		await this.unloadPlugin(id);
	}

	async enablePluginAndSave(id: string): Promise<boolean> {
		const done = await this.enablePlugin(id);
		await this.saveConfig();
		this.plugins[id]?.onUserEnable();
		return done;
	}

	async disablePluginAndSave(id: string): Promise<void> {
		await this.disablePlugin(id);
		await this.saveConfig();
	}

	/** Switches a plugin off and removes its folder, with all that it keeps there. */
	async uninstallPlugin(id: string): Promise<void> {
		await this.disablePluginAndSave(id);
		const dir = this.manifests[id]?.dir;
		delete this.manifests[id];
		if (dir) await this.app.vault.adapter.rmdir(dir, true);
	}

	/** Evaluates the release `main.js` and loads it; a failure is shown and leaves the plugin out. */
	async loadPlugin(id: string): Promise<Plugin | null> {
		const known = this.plugins[id];
		if (known) return known;
		const manifest = this.manifests[id];
		if (!manifest?.dir) return null;
		try {
			const { adapter } = this.app.vault;
			const main = await adapter.readAsApp(`${manifest.dir}/main.js`);
			if (main === null) throw new Error(`${manifest.dir}/main.js is missing.`);
			const PluginClass = this.evaluate(main, id);
			const plugin = new PluginClass(this.app, manifest);
			if (!(plugin instanceof Plugin)) throw new Error("The default export does not extend Plugin.");
			this.plugins[id] = plugin;
			await this.loadStyles(id, manifest.dir);
			await plugin.load();
			return plugin;
		} catch (error) {
			delete this.plugins[id];
			this.unloadStyles(id);
			console.error(`Plugin failure: ${id}`, error);
			new Notice(
				`Failed to load plugin "${id}". ${error instanceof Error ? error.message : String(error)}`,
				0,
			);
			return null;
		}
	}

	async unloadPlugin(id: string): Promise<void> {
		this.plugins[id]?.unload();
		delete this.plugins[id];
		this.unloadStyles(id);
	}

	private get listPath(): string {
		return `${this.app.vault.configDir}/community-plugins.json`;
	}

	private async saveConfig(): Promise<void> {
		await this.app.vault.adapter.writeAsApp(this.listPath, JSON.stringify([...this.enabledPlugins], null, 2));
	}

	private async loadStyles(id: string, dir: string): Promise<void> {
		const css = await this.app.vault.adapter.readAsApp(`${dir}/styles.css`);
		if (css === null) return;
		const el = document.head.createEl("style", { text: css, attr: { "data-plugin": id } });
		this.styles.set(id, el);
	}

	private unloadStyles(id: string): void {
		this.styles.get(id)?.remove();
		this.styles.delete(id);
	}

	private onRawChange(path: string): void {
		const match = /\/plugins\/([^/]+)\/data\.json$/.exec(path);
		if (match) void this.plugins[match[1] ?? ""]?.onConfigFileChange();
	}
}
