// The app's own ways to pick: one of a list, and a path while it is typed.

import {
	AbstractInputSuggest,
	FuzzySuggestModal,
	setIcon,
	TFile,
	TFolder,
	type App,
	type FuzzyMatch,
} from "obsidian";
import type { Choice } from "./port";

/** Picks one of a list, in the app's own suggester. */
export class ChoicePicker extends FuzzySuggestModal<Choice> {
	constructor(
		app: App,
		hint: string,
		private readonly choices: readonly Choice[],
		private readonly chosen: (value: string) => void,
	) {
		super(app);
		this.setPlaceholder(hint);
	}

	override getItems(): Choice[] {
		return [...this.choices];
	}

	override getItemText(choice: Choice): string {
		return choice.label;
	}

	override renderSuggestion(match: FuzzyMatch<Choice>, el: HTMLElement): void {
		if (match.item.icon) setIcon(el.createSpan({ cls: "ea-pick-icon" }), match.item.icon);
		super.renderSuggestion(match, el.createSpan());
	}

	override onChooseItem(choice: Choice): void {
		this.chosen(choice.value);
	}
}

/** Suggests the folders or the notes of the vault below a text field. */
export class PathSuggest extends AbstractInputSuggest<string> {
	constructor(
		app: App,
		private readonly input: HTMLInputElement,
		private readonly kind: "folder" | "note",
	) {
		super(app, input);
	}

	protected override getSuggestions(query: string): string[] {
		const wanted = query.toLocaleLowerCase();
		return this.app.vault
			.getAllLoadedFiles()
			.filter((entry) =>
				this.kind === "folder"
					? entry instanceof TFolder
					: entry instanceof TFile && entry.extension === "md",
			)
			.map((entry) => entry.path)
			.filter((path) => path !== "/" && path.toLocaleLowerCase().includes(wanted))
			.slice(0, this.limit);
	}

	override renderSuggestion(path: string, el: HTMLElement): void {
		el.setText(path);
	}

	override selectSuggestion(path: string): void {
		this.setValue(path);
		this.input.dispatchEvent(new Event("input"));
		this.close();
	}
}
