import type { App } from "./app";
import { Scope } from "./scope";
import { SuggestList, type SuggestOwner } from "./suggest-list";

/** Suggestions in a popover. */
export abstract class PopoverSuggest<T> implements SuggestOwner<T> {
	app: App;
	scope: Scope;
	suggestEl: HTMLElement;
	isOpen = false;
	protected suggestions: SuggestList<T>;

	constructor(app: App, scope?: Scope) {
		this.app = app;
		this.scope = scope ?? new Scope();
		this.suggestEl = createDiv("suggestion-container");
		this.suggestions = new SuggestList(this, this.suggestEl.createDiv("suggestion"), undefined);
		this.scope.register([], "ArrowDown", () => this.step(1));
		this.scope.register([], "ArrowUp", () => this.step(-1));
		this.scope.register([], "Enter", (event) => (this.suggestions.useSelected(event) ? false : undefined));
		this.scope.register([], "Escape", () => {
			this.close();
			return false;
		});
	}

	open(): void {
		if (this.isOpen) return;
		this.isOpen = true;
		document.body.append(this.suggestEl);
		this.app.keymap.pushScope(this.scope);
	}

	close(): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.app.keymap.popScope(this.scope);
		this.suggestEl.remove();
	}

	onHistoryBack(): void {
		this.close();
	}

	abstract renderSuggestion(value: T, el: HTMLElement): void;
	abstract selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;

	/** Shows these under a box of the window, or closes when there are none. */
	protected show(values: T[], box: DOMRect): void {
		if (values.length === 0) {
			this.close();
			return;
		}
		this.open();
		this.suggestions.setSuggestions(values);
		const height = this.suggestEl.getBoundingClientRect().height;
		const below = box.bottom + height + 8 <= window.innerHeight;
		this.suggestEl.setCssStyles({
			left: `${Math.max(4, Math.min(box.left, window.innerWidth - this.suggestEl.offsetWidth - 4))}px`,
			top: `${below ? box.bottom + 4 : Math.max(4, box.top - height - 4)}px`,
		});
	}

	private step(by: number): false {
		this.suggestions.move(by);
		return false;
	}
}

/** Suggestions for a text input. */
export abstract class AbstractInputSuggest<T> extends PopoverSuggest<T> {
	limit = 100;
	private callback: ((value: T, event: MouseEvent | KeyboardEvent) => unknown) | undefined;
	private asked = 0;

	constructor(
		app: App,
		protected readonly textInputEl: HTMLInputElement | HTMLDivElement,
	) {
		super(app);
		const refresh = () => void this.refresh();
		textInputEl.addEventListener("input", refresh);
		textInputEl.addEventListener("focus", refresh);
		textInputEl.addEventListener("blur", () => this.close());
	}

	setValue(value: string): void {
		if (this.textInputEl instanceof HTMLInputElement) this.textInputEl.value = value;
		else this.textInputEl.setText(value);
	}

	getValue(): string {
		return this.textInputEl instanceof HTMLInputElement ? this.textInputEl.value : this.textInputEl.getText();
	}

	selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
		this.callback?.(value, event);
	}

	onSelect(callback: (value: T, event: MouseEvent | KeyboardEvent) => unknown): this {
		this.callback = callback;
		return this;
	}

	protected abstract getSuggestions(query: string): T[] | Promise<T[]>;

	private async refresh(): Promise<void> {
		const asked = ++this.asked;
		const values = await this.getSuggestions(this.getValue());
		if (asked !== this.asked || !this.textInputEl.isActiveElement()) return;
		this.show(
			this.limit > 0 ? values.slice(0, this.limit) : values,
			this.textInputEl.getBoundingClientRect(),
		);
	}
}
