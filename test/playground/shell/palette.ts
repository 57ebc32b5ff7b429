import type { App } from "../obsidian/app";
import { showHotkey, type Command } from "../obsidian/commands";
import { TFile } from "../obsidian/files";
import { setIcon } from "../obsidian/icons";
import { prepareFuzzySearch, renderResults, sortSearchResults } from "../obsidian/search";
import { FuzzySuggestModal, SuggestModal, type FuzzyMatch } from "../obsidian/suggest-modal";

/** Commands used last come first. */
const recent: string[] = [];

/** The command palette. */
export class CommandPalette extends FuzzySuggestModal<Command> {
	constructor(app: App) {
		super(app);
		this.setPlaceholder("Select a command...");
		this.setInstructions([
			{ command: "↑↓", purpose: "to navigate" },
			{ command: "↵", purpose: "to use" },
			{ command: "esc", purpose: "to dismiss" },
		]);
	}

	getItems(): Command[] {
		const rank = (command: Command): number =>
			recent.includes(command.id) ? recent.indexOf(command.id) : recent.length;
		return this.app.commands.listCommands().sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
	}

	getItemText(item: Command): string {
		return item.name;
	}

	override renderSuggestion(found: FuzzyMatch<Command>, el: HTMLElement): void {
		el.addClass("mod-complex");
		const content = el.createDiv("suggestion-content").createDiv("suggestion-title");
		renderResults(content, found.item.name, found.match);
		const aux = el.createDiv("suggestion-aux");
		for (const hotkey of found.item.hotkeys ?? [])
			aux.createEl("kbd", { cls: "suggestion-hotkey", text: showHotkey(hotkey) });
	}

	onChooseItem(item: Command): void {
		recent.remove(item.id);
		recent.unshift(item.id);
		this.app.commands.executeCommandById(item.id);
	}
}

type Choice = { file: TFile; match: FuzzyMatch<TFile>["match"] } | { create: string };

/** How many notes the switcher looks at before it has a query. */
const switcherLimit = 50;

/** The quick switcher: opens a note by name, or makes it. */
export class QuickSwitcher extends SuggestModal<Choice> {
	override limit = switcherLimit;
	override emptyStateText = "No notes found.";

	constructor(app: App) {
		super(app);
		this.setPlaceholder("Find or create a note...");
	}

	getSuggestions(query: string): Choice[] {
		const { vault, workspace } = this.app;
		if (query.trim() === "") {
			const files = workspace.getLastOpenFiles().map((path) => vault.getFileByPath(path));
			return files
				.filter((file) => file !== null)
				.map((file) => ({ file, match: { score: 0, matches: [] } }));
		}
		const search = prepareFuzzySearch(query);
		const found: { file: TFile; match: FuzzyMatch<TFile>["match"] }[] = [];
		for (const file of vault.getFiles()) {
			const match = search(shownPath(file));
			if (match) found.push({ file, match });
		}
		sortSearchResults(found);
		const exact = found.some(({ file }) => file.basename.toLowerCase() === query.trim().toLowerCase());
		return exact ? found : [...found.slice(0, switcherLimit - 1), { create: query.trim() }];
	}

	renderSuggestion(value: Choice, el: HTMLElement): void {
		el.addClass("mod-complex");
		const title = el.createDiv("suggestion-content").createDiv("suggestion-title");
		if ("create" in value) {
			title.setText(value.create);
			el.createDiv({ cls: "suggestion-aux", text: "Enter to create" });
		} else renderResults(title, shownPath(value.file), value.match);
	}

	onChooseSuggestion(value: Choice, event: MouseEvent | KeyboardEvent): void {
		const target = "create" in value ? value.create : value.file.path;
		void this.app.workspace.openLinkText(target, "", event.ctrlKey || event.metaKey ? "tab" : false);
	}
}

function shownPath(file: TFile): string {
	return file.extension === "md" ? file.path.slice(0, -3) : file.path;
}

/** An input with a button, for a name. */
export function promptForName(app: App, title: string, value: string): Promise<string | null> {
	return new Promise((resolve) => {
		const modal = new NameModal(app, title, value, resolve);
		modal.open();
	});
}

class NameModal extends SuggestModal<string> {
	private answer: string | null = null;

	constructor(
		app: App,
		title: string,
		private readonly initial: string,
		done: (name: string | null) => void,
	) {
		super(app);
		this.setPlaceholder(title);
		this.inputEl.value = initial;
		this.setCloseCallback(() => setTimeout(() => done(this.answer)));
		this.inputEl.select();
	}

	getSuggestions(query: string): string[] {
		return [query.trim() === "" ? this.initial : query.trim()];
	}

	renderSuggestion(value: string, el: HTMLElement): void {
		setIcon(el.createSpan("suggestion-icon"), "pencil");
		el.createSpan({ text: value });
	}

	onChooseSuggestion(value: string): void {
		this.answer = value;
	}
}
