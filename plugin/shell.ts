// The panel's shell in Obsidian.

import {
	AbstractInputSuggest,
	getLinkpath,
	Menu,
	Notice,
	Platform,
	setIcon,
	TFile,
	TFolder,
	type App,
	type Plugin,
} from "obsidian";
import { activeNote } from "../bridge/host/editor";
import type { Data } from "./data";
import { Finder, namedBy } from "./finder";
import { t } from "../i18n";
import { visible } from "./text/marks";
import type { MenuEntry, Named, Preferences, Remembered, Selected, Shell } from "./panel/shell";

/** The app as the panel sees it. Everything it registers ends with the plugin. */
export class ObsidianShell implements Shell {
	readonly mobile = Platform.isMobile;
	private readonly app: App;
	private readonly finder: Finder;

	constructor(private readonly plugin: Plugin & { data: Data }) {
		this.app = plugin.app;
		this.finder = new Finder(plugin);
	}

	icon(el: HTMLElement, name: string): void {
		setIcon(el, name);
	}

	open(path: string, newPane: boolean): void {
		void this.app.workspace.openLinkText(path, "", newPane);
	}

	follow(link: string, newPane: boolean): boolean {
		// The app would make a note where there is none.
		if (!this.app.metadataCache.getFirstLinkpathDest(getLinkpath(link), "")) return false;
		this.open(link, newPane);
		return true;
	}

	browse(address: string): void {
		// The core names no other; a script's address must never get here.
		if (/^(https?|obsidian):\/\//i.test(address)) window.open(address, "_blank", "noopener");
	}

	openSettings(): void {
		// Not in the public typings; without it the person opens the settings by hand.
		const { setting } = this.app as App & { setting?: { open(): void; openTabById(id: string): void } };
		if (!setting) return this.notice(t("panel.openSettings.byHand"));
		setting.open();
		setting.openTabById(this.plugin.manifest.id);
	}

	menu(event: MouseEvent, entries: MenuEntry[]): void {
		const menu = new Menu();
		for (const entry of entries) {
			menu.addItem((item) => {
				item.setTitle(visible(entry.title)).setIcon(entry.icon).onClick(entry.run);
				if (entry.warning) item.setWarning(true);
			});
		}
		// A press by keyboard has no place of its own.
		const at = event.target instanceof Element ? event.target.getBoundingClientRect() : null;
		if (event.detail === 0 && at) menu.showAtPosition({ x: at.left, y: at.bottom });
		else menu.showAtMouseEvent(event);
	}

	notice(text: string): void {
		new Notice(visible(text));
	}

	async copy(text: string): Promise<void> {
		await navigator.clipboard.writeText(text);
	}

	download(name: string, text: string): void {
		const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
		const link = createEl("a", { attr: { href: url, download: name } });
		link.click();
		URL.revokeObjectURL(url);
	}

	selection(): Selected | null {
		const view = activeNote(this.app);
		if (!view?.file) return null;
		const text = view.editor.getSelection();
		return text === "" ? null : { path: view.file.path, text };
	}

	watchSelection(changed: () => void): () => void {
		const { workspace } = this.app;
		const refs = [workspace.on("active-leaf-change", changed), workspace.on("editor-change", changed)];
		activeDocument.addEventListener("selectionchange", changed);
		const doc = activeDocument;
		return () => {
			refs.forEach((ref) => workspace.offref(ref));
			doc.removeEventListener("selectionchange", changed);
		};
	}

	suggest(input: HTMLInputElement, kind: "folder" | "note"): void {
		new PathSuggest(this.app, input, kind);
	}

	remembered(what: Remembered): string {
		const saved: unknown = this.app.loadLocalStorage(`embedded-agent-${what}`);
		return typeof saved === "string" ? saved : "";
	}

	remember(what: Remembered, text: string): void {
		this.app.saveLocalStorage(`embedded-agent-${what}`, text === "" ? null : text);
	}

	preferences(): Preferences {
		const { provider, model, enterBreaks } = this.plugin.data;
		return { provider, model, enterBreaks };
	}

	active(): string {
		return activeNote(this.app)?.file?.path ?? "";
	}

	find(text: string): Promise<Named[] | null> {
		return this.finder.find(text);
	}

	namedBy(text: string): Named[] {
		return namedBy(this.app, text);
	}

	imageUrl(path: string): string {
		const file = this.app.vault.getFileByPath(path);
		return file ? this.app.vault.getResourcePath(file) : "";
	}

	write(text: string, where: "cursor" | "selection"): boolean {
		const view = activeNote(this.app);
		if (!view?.file || view.getMode() !== "source") return false;
		const { editor } = view;
		if (where === "selection" && !editor.somethingSelected()) return false;
		// One change, so that one undo takes it back.
		if (where === "selection") editor.replaceSelection(text);
		else editor.replaceRange(text, editor.getCursor("to"));
		return true;
	}
}

class PathSuggest extends AbstractInputSuggest<string> {
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
