/** Draws the control of one declarative setting, and validates and stores what the person enters. */
import type { App } from "../app";
import type { TAbstractFile, TFile, TFolder } from "../files";
import { AbstractInputSuggest } from "../popover-suggest";
import { prepareFuzzySearch } from "../search";
import type { Control, FileFilter, FolderFilter } from "./definitions";
import type { Setting } from "./setting";
import type { SettingTab } from "./tab";
import type { TextComponent } from "./text";

/** Adds the control to its row. Values come from and go to the tab's `getControlValue` and `setControlValue`. */
export function addControl(tab: SettingTab, setting: Setting, control: Control): void {
	const value = tab.getControlValue(control.key) ?? control.defaultValue;
	const store = (next: unknown) => void validateAndStore(tab, setting, control, next);
	switch (control.type) {
		case "toggle":
			setting.addToggle((toggle) => toggle.setValue(value === true).onChange(store));
			return;
		case "dropdown":
			setting.addDropdown((dropdown) =>
				dropdown
					.addOptions(control.options ?? {})
					.setValue(asText(value))
					.onChange(store),
			);
			return;
		case "text":
			setting.addText((text) =>
				text
					.setPlaceholder(control.placeholder ?? "")
					.setValue(asText(value))
					.onChange(store),
			);
			return;
		case "textarea":
			setting.addTextArea((area) => {
				area.inputEl.rows = control.rows ?? 4;
				area
					.setPlaceholder(control.placeholder ?? "")
					.setValue(asText(value))
					.onChange(store);
			});
			return;
		case "number":
			setting.addText((text) => numberInput(text, control, value, store));
			return;
		case "slider":
			setting.addSlider((slider) => {
				slider
					.setLimits(control.min ?? 0, control.max ?? 100, control.step ?? 1)
					.setValue(Number(value ?? 0))
					.onChange(store);
				if (control.displayFormat) slider.setDisplayFormat(control.displayFormat);
			});
			return;
		case "color":
			setting.addColorPicker((picker) => picker.setValue(asText(value) || "#000000").onChange(store));
			return;
		case "file":
		case "folder":
			setting.addSearch((search) => {
				search
					.setPlaceholder(control.placeholder ?? "")
					.setValue(asText(value))
					.onChange(store);
				new PathSuggest(tab.app, search.inputEl, control, (path) => {
					search.setValue(path);
					store(path);
				});
			});
	}
}

function asText(value: unknown): string {
	return typeof value === "string"
		? value
		: typeof value === "number" || typeof value === "boolean"
			? String(value)
			: "";
}

function numberInput(
	text: TextComponent,
	control: Control,
	value: unknown,
	store: (value: number) => void,
): void {
	text.inputEl.type = "number";
	if (control.min !== undefined) text.inputEl.min = String(control.min);
	if (control.max !== undefined) text.inputEl.max = String(control.max);
	text.inputEl.step = String(control.step ?? "any");
	text.setPlaceholder(control.placeholder ?? "").setValue(asText(value));
	text.onChange((entered) => {
		const number = entered.trim() === "" ? NaN : Number(entered);
		store(Number.isFinite(number) ? number : Number(control.defaultValue ?? 0));
	});
}

async function validateAndStore(
	tab: SettingTab,
	setting: Setting,
	control: Control,
	value: unknown,
): Promise<void> {
	const problem = control.validate ? await control.validate(value as never) : undefined;
	setting.setErrorMessage(typeof problem === "string" && problem !== "" ? problem : null);
	if (typeof problem === "string" && problem !== "") return;
	await tab.setControlValue(control.key, value);
	tab.refreshDomState();
}

class PathSuggest extends AbstractInputSuggest<TAbstractFile> {
	constructor(
		app: App,
		input: HTMLInputElement,
		private readonly control: Control,
		private readonly choose: (path: string) => void,
	) {
		super(app, input);
	}

	protected getSuggestions(query: string): TAbstractFile[] {
		const search = prepareFuzzySearch(query);
		return this.candidates().filter((entry) => search(entry.path) !== null);
	}

	renderSuggestion(value: TAbstractFile, el: HTMLElement): void {
		el.setText(value.path);
	}

	override selectSuggestion(value: TAbstractFile): void {
		this.choose(value.path);
		this.close();
	}

	private candidates(): TAbstractFile[] {
		const { vault } = this.app;
		if (this.control.type === "folder") {
			const filter = this.control.filter as FolderFilter | undefined;
			return vault
				.getAllFolders(this.control.includeRoot === true)
				.filter((folder: TFolder) => filter?.(folder) ?? true);
		}
		const filter = this.control.filter as FileFilter | undefined;
		return vault.getFiles().filter((file: TFile) => filter?.(file) ?? true);
	}
}
