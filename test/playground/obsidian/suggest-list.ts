/** The list of suggestions under an input, shared by dialogs and popovers: one is chosen by keys or pointer. */
import { nameElement } from "./accessible-name";

export interface SuggestOwner<T> {
	renderSuggestion(value: T, el: HTMLElement): void;
	selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;
}

let lists = 0;

export class SuggestList<T> {
	values: T[] = [];
	private selected = 0;
	private readonly id = `suggestions-${++lists}`;
	private rows: HTMLElement[] = [];

	/** `inputEl` gets the ARIA attributes of a combobox. */
	constructor(
		private readonly owner: SuggestOwner<T>,
		private readonly containerEl: HTMLElement,
		private readonly inputEl: HTMLElement | undefined,
	) {
		containerEl.setAttrs({ role: "listbox", id: this.id });
		nameElement(containerEl, "Suggestions");
		inputEl?.setAttrs({
			role: "combobox",
			"aria-controls": this.id,
			"aria-expanded": "true",
			"aria-autocomplete": "list",
		});
	}

	setSuggestions(values: T[]): void {
		this.values = values;
		this.containerEl.empty();
		this.rows = values.map((value, index) => this.row(value, index));
		this.select(0);
	}

	move(step: number): void {
		if (this.values.length > 0) this.select((this.selected + step + this.values.length) % this.values.length);
	}

	/** Chooses what is selected; false when there is nothing. */
	useSelected(event: MouseEvent | KeyboardEvent): boolean {
		if (this.selected >= this.values.length) return false;
		this.owner.selectSuggestion(this.values[this.selected] as T, event);
		return true;
	}

	private row(value: T, index: number): HTMLElement {
		const row = this.containerEl.createDiv({
			cls: "suggestion-item",
			attr: { role: "option", id: `${this.id}-${index}`, "aria-selected": "false" },
		});
		this.owner.renderSuggestion(value, row);
		row.addEventListener("pointermove", () => this.select(index, false));
		row.addEventListener("mousedown", (event) => event.preventDefault());
		row.addEventListener("click", (event) => {
			this.select(index, false);
			this.useSelected(event);
		});
		return row;
	}

	private select(index: number, scroll = true): void {
		this.rows[this.selected]?.removeClass("is-selected");
		this.rows[this.selected]?.setAttribute("aria-selected", "false");
		this.selected = index;
		const row = this.rows[index];
		row?.addClass("is-selected");
		row?.setAttribute("aria-selected", "true");
		if (row) this.inputEl?.setAttribute("aria-activedescendant", row.id);
		else this.inputEl?.removeAttribute("aria-activedescendant");
		if (scroll) row?.scrollIntoView({ block: "nearest" });
	}
}
