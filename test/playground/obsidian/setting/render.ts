/** Draws the definitions of a settings tab, keeps what depends on predicates up to date, opens sub-pages. */
import { nameElement } from "../accessible-name";
import { setIcon } from "../icons";
import { addControl } from "./controls";
import {
	evaluate,
	isGroup,
	type Definition,
	type GroupDefinition,
	type Item,
	type PageDefinition,
} from "./definitions";
import { SettingGroup } from "./group";
import { SettingPage } from "./page";
import { Setting } from "./setting";
import type { SettingTab } from "./tab";

/** A page whose content is given as definitions. */
class DeclarativePage extends SettingPage {
	constructor(
		private readonly definition: PageDefinition,
		private readonly renderer: DefinitionRenderer,
	) {
		super();
		this.title = definition.name;
	}

	display(): void {
		this.containerEl.empty();
		this.renderer.renderInto(this.containerEl, this.definition.items ?? []);
	}
}

export class DefinitionRenderer {
	private refreshers: (() => void)[] = [];
	private cleanups: (() => void)[] = [];
	private pages: SettingPage[] = [];
	private queries = new Map<string, string>();

	constructor(private readonly tab: SettingTab) {}

	/** Draws the tab anew, at its first page. */
	render(): void {
		this.clear();
		this.tab.containerEl.empty();
		this.renderInto(this.tab.containerEl, this.tab.settingItems);
		this.refresh();
	}

	/** Evaluates every `visible` and `disabled` again. */
	refresh(): void {
		for (const refresh of this.refreshers) refresh();
	}

	/** Tears everything down; rows that asked for it are told. */
	clear(): void {
		for (const cleanup of this.cleanups) cleanup();
		for (const page of this.pages) page.hide();
		this.cleanups = [];
		this.refreshers = [];
		this.pages = [];
	}

	/** Draws items one after the other; loose settings in a row share a group. */
	renderInto(container: HTMLElement, items: Item[]): void {
		let loose: SettingGroup | undefined;
		for (const item of items) {
			if (isGroup(item)) {
				loose = undefined;
				this.renderGroup(container, item);
			} else {
				loose ??= new SettingGroup(container);
				this.renderItem(loose, item, 0);
			}
		}
	}

	private renderGroup(container: HTMLElement, definition: GroupDefinition): void {
		const group = new SettingGroup(container);
		if (definition.heading !== undefined) group.setHeading(definition.heading);
		if (definition.cls) group.addClass(...definition.cls.split(" ").filter((name) => name !== ""));
		if (definition.type === "list") group.addClass("mod-list");
		for (const button of definition.extraButtons ?? []) group.addExtraButton(button);
		const { addItem } = definition;
		if (addItem)
			group.addExtraButton((button) =>
				button
					.setIcon("plus")
					.setTooltip(addItem.name)
					.onClick(() => addItem.action(button.extraSettingsEl)),
			);
		const items = definition.items ?? [];
		const rows = items.map((item, index) => this.renderItem(group, item, index));
		rows.forEach((row, index) => this.addListControls(definition, row, index));
		if (items.length === 0 && definition.emptyState !== undefined)
			group.listEl.createDiv("setting-list-empty").setText(definition.emptyState);
		this.addSearch(group, definition, rows);
		this.onRefresh(() => group.groupEl.toggle(evaluate(definition.visible, true)));
	}

	private addSearch(group: SettingGroup, definition: GroupDefinition, rows: Setting[]): void {
		const { search, items = [] } = definition;
		if (!search) return;
		const key = definition.heading ?? "";
		const filter = (query: string): void => {
			this.queries.set(key, query);
			items.forEach((item, index) => {
				const searchable = item.type === "page" || evaluate(item.searchable, true);
				const shown = query === "" || !searchable || search.match(item as Definition, query);
				rows[index]?.settingEl.toggleClass("is-filtered-out", !shown);
			});
		};
		group.addSearch((input) => {
			input
				.setPlaceholder(search.placeholder ?? "")
				.setValue(this.queries.get(key) ?? "")
				.onChange(filter);
			nameElement(input.inputEl, search.placeholder ?? "Search");
		});
		filter(this.queries.get(key) ?? "");
	}

	private addListControls(definition: GroupDefinition, row: Setting, index: number): void {
		const { onDelete, onReorder } = definition;
		if (onReorder) {
			const last = (definition.items?.length ?? 0) - 1;
			if (index > 0)
				row.addExtraButton((button) =>
					button
						.setIcon("chevron-up")
						.setTooltip("Move up")
						.onClick(() => onReorder(index, index - 1)),
				);
			if (index < last)
				row.addExtraButton((button) =>
					button
						.setIcon("chevron-down")
						.setTooltip("Move down")
						.onClick(() => onReorder(index, index + 1)),
				);
		}
		if (onDelete)
			row.addExtraButton((button) =>
				button
					.setIcon("trash-2")
					.setTooltip("Delete")
					.onClick(() => onDelete(index)),
			);
	}

	private renderItem(group: SettingGroup, item: Definition | PageDefinition, index: number): Setting {
		const setting = new Setting(group.listEl).setName(item.name);
		if (item.desc !== undefined)
			setting.setDesc(
				typeof item.desc === "string" ? item.desc : (item.desc.cloneNode(true) as DocumentFragment),
			);
		this.onRefresh(() => setting.settingEl.toggle(evaluate(item.visible, true)));
		if (item.type === "page") this.renderPageLink(setting, item);
		else if (item.control) {
			addControl(this.tab, setting, item.control);
			const { disabled } = item.control;
			this.onRefresh(() => void setting.setDisabled(evaluate(disabled, false)));
		} else if (item.render) {
			const cleanup = item.render(setting, group);
			if (typeof cleanup === "function") this.cleanups.push(cleanup);
		} else if (item.action) this.renderAction(setting, item, item.action, index);
		return setting;
	}

	private renderAction(
		setting: Setting,
		item: Definition,
		action: NonNullable<Definition["action"]>,
		index: number,
	): void {
		const el = setting.settingEl;
		el.addClass("mod-action");
		el.setAttrs({ role: "button", tabindex: 0 });
		const run = (): void => {
			if (!evaluate(item.disabled, false)) action(el, index);
		};
		el.addEventListener("click", run);
		el.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && event.target === el) run();
		});
		this.onRefresh(() => void setting.setDisabled(evaluate(item.disabled, false)));
	}

	private renderPageLink(setting: Setting, item: PageDefinition): void {
		const el = setting.settingEl;
		el.addClass("mod-page");
		el.setAttrs({ role: "button", tabindex: 0 });
		if (item.displayValue !== undefined || item.status) {
			const value = typeof item.displayValue === "function" ? item.displayValue() : item.displayValue;
			const status = typeof item.status === "function" ? item.status() : item.status;
			setting.addDisplayValue((display) => display.setValue(value ?? null).setStatus(status ?? null));
		}
		setIcon(setting.controlEl.createSpan("setting-page-chevron"), "chevron-right");
		el.addEventListener("click", () => this.openPage(item));
		el.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && event.target === el) this.openPage(item);
		});
	}

	private openPage(item: PageDefinition): void {
		const page = item.page ? item.page() : new DeclarativePage(item, this);
		if (page.title === "") page.title = item.name;
		const below = [...this.tab.containerEl.childNodes];
		page.goBack = () => {
			page.hide();
			this.pages.remove(page);
			this.tab.containerEl.replaceChildren(...below);
			this.refresh();
		};
		this.pages.push(page);
		this.tab.containerEl.replaceChildren(page.rootEl);
		page.show();
		this.refresh();
	}

	private onRefresh(refresh: () => void): void {
		this.refreshers.push(refresh);
	}
}
