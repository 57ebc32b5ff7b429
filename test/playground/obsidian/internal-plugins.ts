/** `app.internalPlugins`: the core plugins that the playground has, with their options from the vault. */
import moment from "moment";
import type { App } from "./app";
import { readJson } from "./config";
import { TFile } from "./files";
import { Notice } from "./notice";
import { FuzzySuggestModal } from "./suggest-modal";
import { joinPath, normalizePath, parentPath } from "./paths";

export interface InternalPlugin {
	id: string;
	enabled: boolean;
	instance: { id: string; name: string; options: Record<string, unknown> };
}

const names: Record<string, string> = {
	"file-explorer": "Files",
	switcher: "Quick switcher",
	"command-palette": "Command palette",
	"daily-notes": "Daily notes",
	templates: "Templates",
	outline: "Outline",
};

export class InternalPlugins {
	plugins: Record<string, InternalPlugin> = {};

	constructor(private readonly app: App) {
		for (const [id, name] of Object.entries(names))
			this.plugins[id] = { id, enabled: true, instance: { id, name, options: {} } };
	}

	/** Reads the options of each. */
	async load(): Promise<void> {
		const read = async (plugin: InternalPlugin): Promise<void> => {
			const options = await readJson(this.app.vault.adapter, `${this.app.vault.configDir}/${plugin.id}.json`);
			plugin.instance.options = options ?? {};
		};
		await Promise.all(Object.values(this.plugins).map(read));
		this.addCommands();
	}

	getPluginById(id: string): InternalPlugin | null {
		return this.plugins[id] ?? null;
	}

	getEnabledPluginById(id: string): InternalPlugin["instance"] | null {
		const plugin = this.plugins[id];
		return plugin?.enabled ? plugin.instance : null;
	}

	private option(id: string, key: string): string {
		const value = this.plugins[id]?.instance.options[key];
		return typeof value === "string" ? value : "";
	}

	private addCommands(): void {
		this.app.commands.addCommand({
			id: "daily-notes",
			name: "Daily notes: Open today's daily note",
			icon: "calendar",
			callback: () => void this.openDailyNote(),
		});
		this.app.commands.addCommand({
			id: "insert-template",
			name: "Templates: Insert template",
			icon: "files",
			checkCallback: (checking) => this.insertTemplate(checking),
		});
	}

	private async openDailyNote(): Promise<void> {
		const { vault, workspace } = this.app;
		const name = moment().format(this.option("daily-notes", "format") || "YYYY-MM-DD");
		const path = normalizePath(`${joinPath(normalizePath(this.option("daily-notes", "folder")), name)}.md`);
		let file = vault.getFileByPath(path);
		if (!file) {
			const folder = parentPath(path);
			if (!vault.getFolderByPath(folder)) await vault.createFolder(folder);
			file = await vault.create(path, await this.templateText(this.option("daily-notes", "template"), name));
		}
		await workspace.getLeaf(false).openFile(file);
	}

	private async templateText(template: string, title: string): Promise<string> {
		if (template === "") return "";
		const path = template.endsWith(".md") ? template : `${template}.md`;
		const file = this.app.vault.getFileByPath(normalizePath(path));
		return file ? this.fillTemplate(await this.app.vault.read(file), title) : "";
	}

	private fillTemplate(text: string, title: string): string {
		const date = this.option("templates", "dateFormat") || "YYYY-MM-DD";
		const time = this.option("templates", "timeFormat") || "HH:mm";
		return text
			.replace(/\{\{\s*title\s*\}\}/gi, () => title)
			.replace(/\{\{\s*date(?::([^}]+))?\s*\}\}/gi, (_whole, format?: string) =>
				moment().format(format ?? date),
			)
			.replace(/\{\{\s*time(?::([^}]+))?\s*\}\}/gi, (_whole, format?: string) =>
				moment().format(format ?? time),
			);
	}

	private insertTemplate(checking: boolean): boolean {
		const info = this.app.workspace.activeEditor;
		if (!info?.editor) return false;
		if (checking) return true;
		const folder = this.app.vault.getFolderByPath(normalizePath(this.option("templates", "folder")));
		const files =
			folder?.children.filter(
				(entry): entry is TFile => entry instanceof TFile && entry.extension === "md",
			) ?? [];
		if (files.length === 0) {
			new Notice("No template folder is set, or it holds no notes.");
			return true;
		}
		new TemplateModal(this.app, files, (file) => void this.insert(file)).open();
		return true;
	}

	private async insert(file: TFile): Promise<void> {
		const info = this.app.workspace.activeEditor;
		const text = this.fillTemplate(await this.app.vault.read(file), info?.file?.basename ?? "");
		info?.editor?.replaceSelection(text);
	}
}

class TemplateModal extends FuzzySuggestModal<TFile> {
	constructor(
		app: App,
		private readonly files: TFile[],
		private readonly choose: (file: TFile) => void,
	) {
		super(app);
		this.setPlaceholder("Choose a template");
	}

	getItems(): TFile[] {
		return this.files;
	}

	getItemText(item: TFile): string {
		return item.basename;
	}

	onChooseItem(item: TFile): void {
		this.choose(item);
	}
}
