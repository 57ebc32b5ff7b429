/** The app's own settings tabs: the options that change what plugins meet. */
import type { App } from "../obsidian/app";
import type { Item } from "../obsidian/setting/definitions";
import { Setting } from "../obsidian/setting/setting";
import { SettingTab } from "../obsidian/setting/tab";

class FilesTab extends SettingTab {
	override id = "file";
	override name = "Files and links";
	override icon = "folder";

	override getSettingDefinitions(): Item[] {
		return [
			{
				name: "Deleted files",
				desc: "What happens to a file after you delete it.",
				control: {
					type: "dropdown",
					key: "trashOption",
					options: {
						system: "Move to system trash",
						local: "Move to vault trash (.trash)",
						none: "Permanently delete",
					},
				},
			},
			{
				name: "Automatically update internal links",
				desc: "Turn on to update links after renaming a file without being asked.",
				control: { type: "toggle", key: "alwaysUpdateLinks" },
			},
			{
				name: "Default location for new notes",
				control: {
					type: "dropdown",
					key: "newFileLocation",
					options: {
						root: "Vault folder",
						current: "Same folder as current file",
						folder: "In the folder specified below",
					},
				},
			},
			{
				name: "Folder to create new notes in",
				control: { type: "folder", key: "newFileFolderPath", includeRoot: true },
				visible: () => this.app.vault.getConfig("newFileLocation") === "folder",
			},
			{
				name: "New link format",
				control: {
					type: "dropdown",
					key: "newLinkFormat",
					options: {
						shortest: "Shortest path when possible",
						relative: "Relative path to file",
						absolute: "Absolute path in vault",
					},
				},
			},
			{
				name: "Use [[Wikilinks]]",
				render: (setting) =>
					void setting.addToggle((toggle) =>
						toggle
							.setValue(this.app.vault.getConfig("useMarkdownLinks") !== true)
							.onChange((on) => this.app.vault.setConfig("useMarkdownLinks", !on)),
					),
			},
			{
				name: "Default location for new attachments",
				control: { type: "text", key: "attachmentFolderPath" },
			},
		];
	}
}

class AppearanceTab extends SettingTab {
	override id = "appearance";
	override name = "Appearance";
	override icon = "palette";

	override getSettingDefinitions(): Item[] {
		return [
			{
				name: "Base color scheme",
				control: {
					type: "dropdown",
					key: "theme",
					options: { system: "Adapt to system", moonstone: "Light", obsidian: "Dark" },
				},
			},
			{ name: "Show inline title", control: { type: "toggle", key: "showInlineTitle" } },
		];
	}

	override setControlValue(key: string, value: unknown): void {
		void super.setControlValue(key, value);
		this.app.updateTheme();
	}
}

class CommunityPluginsTab extends SettingTab {
	override id = "community-plugins";
	override name = "Community plugins";
	override icon = "puzzle";

	override display(): void {
		this.containerEl.empty();
		const { plugins } = this.app;
		for (const manifest of Object.values(plugins.manifests)) {
			new Setting(this.containerEl)
				.setName(manifest.name)
				.setDesc(`Version ${manifest.version}. ${manifest.description}`)
				.addToggle((toggle) =>
					toggle
						.setValue(plugins.getPlugin(manifest.id) !== null)
						.onChange(
							(on) =>
								void (on
									? plugins.enablePluginAndSave(manifest.id)
									: plugins.disablePluginAndSave(manifest.id)),
						),
				);
		}
	}
}

/** Adds the tabs to the settings window. */
export function addAppSettings(app: App): void {
	for (const Tab of [FilesTab, AppearanceTab, CommunityPluginsTab]) app.setting.addAppTab(new Tab(app));
}
