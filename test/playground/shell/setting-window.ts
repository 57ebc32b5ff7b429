/** The settings window: tabs on the left, the chosen one on the right. */
import { nameElement } from "../obsidian/accessible-name";
import type { App } from "../obsidian/app";
import { setIcon } from "../obsidian/icons";
import { Modal } from "../obsidian/modal";
import type { PluginSettingTab, SettingTab } from "../obsidian/setting/tab";

export class SettingWindow extends Modal {
	settingTabs: SettingTab[] = [];
	pluginTabs: PluginSettingTab[] = [];
	activeTab: SettingTab | null = null;
	tabContentContainer: HTMLElement;
	private readonly headersEl: HTMLElement;

	constructor(app: App) {
		super(app);
		this.modalEl.addClass("mod-settings", "mod-sidebar-layout");
		nameElement(this.modalEl, "Settings");
		this.headerEl.remove();
		const layout = this.contentEl.createDiv("vertical-tabs-container");
		this.headersEl = layout.createDiv({
			cls: "vertical-tab-header",
			attr: { role: "tablist", "aria-orientation": "vertical" },
		});
		this.tabContentContainer = layout.createDiv({
			cls: "vertical-tab-content-container",
			attr: { role: "tabpanel", tabindex: "0" },
		});
	}

	override onOpen(): void {
		nameElement(this.headersEl, "Settings");
		this.drawHeaders();
		const first = this.activeTab ?? this.settingTabs[0];
		if (first) this.openTab(first);
	}

	override onClose(): void {
		this.activeTab?.leave();
		this.tabContentContainer.empty();
	}

	/** One of the app's own tabs. */
	addAppTab(tab: SettingTab): void {
		this.settingTabs.push(tab);
	}

	/** Definitions are asked for at once, as the app does to index them for search. */
	addSettingTab(tab: PluginSettingTab): void {
		this.pluginTabs.push(tab);
		tab.update();
		if (this.containerEl.isConnected) this.drawHeaders();
	}

	removeSettingTab(tab: PluginSettingTab): void {
		this.pluginTabs.remove(tab);
		if (this.activeTab === tab) {
			tab.leave();
			this.activeTab = null;
			if (this.containerEl.isConnected && this.settingTabs[0]) this.openTab(this.settingTabs[0]);
		}
		if (this.containerEl.isConnected) this.drawHeaders();
	}

	/** Opens the tab of that id; a plugin's tab has the plugin's id. Null where there is none. */
	openTabById(id: string): SettingTab | null {
		const tab = [...this.settingTabs, ...this.pluginTabs].find((one) => one.id === id);
		if (tab) this.openTab(tab);
		return tab ?? null;
	}

	openTab(tab: SettingTab): void {
		if (this.activeTab && this.activeTab !== tab) this.activeTab.leave();
		this.activeTab = tab;
		if (!this.containerEl.isConnected) return;
		this.tabContentContainer.replaceChildren(tab.containerEl);
		nameElement(this.tabContentContainer, tab.name);
		this.tabContentContainer.scrollTop = 0;
		tab.show();
		this.markActive();
	}

	private drawHeaders(): void {
		this.headersEl.empty();
		this.drawGroup("Options", this.settingTabs);
		if (this.pluginTabs.length > 0) this.drawGroup("Community plugins", this.pluginTabs);
		this.markActive();
	}

	private drawGroup(title: string, tabs: SettingTab[]): void {
		const group = this.headersEl.createDiv({
			cls: "vertical-tab-header-group",
			attr: { role: "presentation" },
		});
		group.createDiv({ cls: "vertical-tab-header-group-title", text: title, attr: { role: "presentation" } });
		for (const tab of tabs) {
			const item = group.createDiv({
				cls: "vertical-tab-nav-item tappable",
				attr: { role: "tab", tabindex: "0", "data-setting-id": tab.id },
			});
			if (tab.icon !== "") setIcon(item.createSpan("vertical-tab-nav-item-icon"), tab.icon);
			item.createSpan({ cls: "vertical-tab-nav-item-title", text: tab.name });
			item.addEventListener("click", () => this.openTab(tab));
			item.addEventListener("keydown", (event) => {
				if (event.key === "Enter" || event.key === " ") this.openTab(tab);
			});
		}
	}

	private markActive(): void {
		for (const item of this.headersEl.findAll("[data-setting-id]")) {
			const active = item.dataset["settingId"] === this.activeTab?.id;
			item.toggleClass("is-active", active);
			item.setAttribute("aria-selected", String(active));
			if (active) item.scrollIntoView({ block: "nearest", inline: "center" });
		}
	}
}
