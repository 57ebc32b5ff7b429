import { nameElement } from "./accessible-name";
import type { App } from "./app";
import { Modal } from "./modal";
import { prepareFuzzySearch, renderResults, sortSearchResults, type SearchResult } from "./search";
import { SuggestList, type SuggestOwner } from "./suggest-list";

export interface Instruction {
	command: string;
	purpose: string;
}

/** A dialog with an input and suggestions for it. */
export abstract class SuggestModal<T> extends Modal implements SuggestOwner<T> {
	limit = 100;
	emptyStateText = "No match found.";
	inputEl: HTMLInputElement;
	resultContainerEl: HTMLElement;
	instructionsEl: HTMLElement | undefined;
	chooser: SuggestList<T>;
	private query = 0;

	constructor(app: App) {
		super(app);
		this.modalEl.removeClass("modal");
		this.modalEl.addClass("prompt");
		this.modalEl.empty();
		const inputContainer = this.modalEl.createDiv("prompt-input-container");
		this.inputEl = inputContainer.createEl("input", {
			cls: "prompt-input",
			type: "text",
			attr: { autocapitalize: "off", spellcheck: false, enterkeyhint: "done" },
		});
		nameElement(this.inputEl, "Search");
		this.resultContainerEl = this.modalEl.createDiv("prompt-results");
		this.chooser = new SuggestList(this, this.resultContainerEl, this.inputEl);
		this.inputEl.addEventListener("input", () => this.updateSuggestions());
		this.scope.register([], "ArrowDown", () => this.step(1));
		this.scope.register([], "ArrowUp", () => this.step(-1));
		for (const modifiers of [[], ["Mod"], ["Shift"], ["Mod", "Alt"]] as const)
			this.scope.register([...modifiers], "Enter", (event) => this.enter(event));
	}

	override open(): void {
		super.open();
		this.inputEl.focus();
		this.updateSuggestions();
	}

	setPlaceholder(placeholder: string): void {
		this.inputEl.placeholder = placeholder;
		nameElement(this.inputEl, placeholder === "" ? "Search" : placeholder);
	}

	setInstructions(instructions: Instruction[]): void {
		this.instructionsEl?.remove();
		this.instructionsEl = this.modalEl.createDiv("prompt-instructions");
		for (const { command, purpose } of instructions) {
			const row = this.instructionsEl.createDiv("prompt-instruction");
			row.createSpan({ cls: "prompt-instruction-command", text: command });
			row.createSpan({ text: purpose });
		}
	}

	onNoSuggestion(): void {
		this.chooser.setSuggestions([]);
		this.resultContainerEl.createDiv({ cls: "suggestion-empty", text: this.emptyStateText });
	}

	selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
		this.close();
		this.onChooseSuggestion(value, event);
	}

	selectActiveSuggestion(event: MouseEvent | KeyboardEvent): void {
		this.chooser.useSelected(event);
	}

	updateSuggestions(): void {
		const asked = ++this.query;
		const found = this.getSuggestions(this.inputEl.value);
		if (found instanceof Promise) void found.then((values) => asked === this.query && this.show(values));
		else this.show(found);
	}

	abstract getSuggestions(query: string): T[] | Promise<T[]>;
	abstract renderSuggestion(value: T, el: HTMLElement): void;
	abstract onChooseSuggestion(item: T, event: MouseEvent | KeyboardEvent): void;

	private show(values: T[]): void {
		if (values.length === 0) this.onNoSuggestion();
		else this.chooser.setSuggestions(this.limit > 0 ? values.slice(0, this.limit) : values);
	}

	private step(by: number): false {
		this.chooser.move(by);
		return false;
	}

	private enter(event: KeyboardEvent): false {
		this.chooser.useSelected(event);
		return false;
	}
}

export interface FuzzyMatch<T> {
	item: T;
	match: SearchResult;
}

/** A `SuggestModal` over a fixed list of items, searched fuzzily. */
export abstract class FuzzySuggestModal<T> extends SuggestModal<FuzzyMatch<T>> {
	getSuggestions(query: string): FuzzyMatch<T>[] {
		const search = prepareFuzzySearch(query.trim());
		const found: FuzzyMatch<T>[] = [];
		for (const item of this.getItems()) {
			const match = search(this.getItemText(item));
			if (match) found.push({ item, match });
		}
		if (query.trim() !== "") sortSearchResults(found);
		return found;
	}

	renderSuggestion(item: FuzzyMatch<T>, el: HTMLElement): void {
		renderResults(el, this.getItemText(item.item), item.match);
	}

	onChooseSuggestion(item: FuzzyMatch<T>, event: MouseEvent | KeyboardEvent): void {
		this.onChooseItem(item.item, event);
	}

	abstract getItems(): T[];
	abstract getItemText(item: T): string;
	abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;
}
