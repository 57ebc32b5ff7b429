"use strict";
/* A plugin in the form in which plugins are released: CommonJS, with `obsidian` left to the app. */
const obsidian = require("obsidian");

const viewType = "fixture-view";

class FixtureView extends obsidian.ItemView {
	getViewType() {
		return viewType;
	}

	getDisplayText() {
		return "Fixture";
	}

	getIcon() {
		return "bot";
	}

	async onOpen() {
		this.contentEl.empty();
		this.contentEl.addClass("fixture-view");
		this.contentEl.createEl("h4", { text: "Fixture view" });
	}
}

class FixtureTab extends obsidian.PluginSettingTab {
	getSettingDefinitions() {
		return [
			{ name: "Greeting", desc: "What to write.", control: { type: "text", key: "greeting" } },
			{
				type: "group",
				heading: "More",
				items: [
					{ name: "Loud", control: { type: "toggle", key: "loud" } },
					{
						name: "Volume",
						control: {
							type: "number",
							key: "volume",
							defaultValue: 5,
							validate: (value) => (value > 10 ? "At most 10." : undefined),
						},
						visible: () => this.plugin.settings.loud === true,
					},
					{ type: "page", name: "Advanced", items: [{ name: "Deep", control: { type: "toggle", key: "deep" } }] },
				],
			},
		];
	}
}

module.exports = class FixturePlugin extends obsidian.Plugin {
	async onload() {
		this.settings = Object.assign({ greeting: "hello", loud: false }, await this.loadData());
		this.events = [];
		this.externalChanges = 0;
		this.registerView(viewType, (leaf) => new FixtureView(leaf));
		this.addRibbonIcon("bot", "Open fixture", () => this.openView());
		this.addSettingTab(new FixtureTab(this.app, this));
		this.addCommand({ id: "open", name: "Open", callback: () => this.openView() });
		this.addCommand({
			id: "insert-greeting",
			name: "Insert greeting",
			editorCallback: (editor) => editor.replaceSelection(this.settings.greeting),
		});
		this.addCommand({
			id: "make-note",
			name: "Make note",
			callback: () => this.app.vault.create("Made by fixture.md", `# ${this.settings.greeting}\n`),
		});
		this.filesAtLoad = this.app.vault.getFiles().length;
		this.registerEvent(this.app.vault.on("create", () => this.events.push("create")));
		this.app.workspace.onLayoutReady(() => {
			this.filesAtReady = this.app.vault.getFiles().length;
		});
	}

	onExternalSettingsChange() {
		this.externalChanges++;
	}

	openView() {
		return this.app.workspace.ensureSideLeaf(viewType, "right", { active: true });
	}
};
