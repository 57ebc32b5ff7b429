// The port to the app in Obsidian.

import { getIconIds, getLinkpath, Menu, Notice, Platform, setIcon, type App, type Plugin } from "obsidian";
import { activeNote } from "../../bridge/host/editor";
import { t } from "../../i18n";
import { coreSettings, type Data } from "../data";
import { asProblem } from "../panel/core";
import type { Problem, Settings } from "../protocol";
import { visible } from "../text/marks";
import { Finder, namedBy } from "./finder";
import { ChoicePicker, PathSuggest } from "./pickers";
import { watchSelection } from "./selection";
import { reviewType, ReviewView } from "../review-view";
import type { AppPort, Choice, MenuEntry, Named, Preferences, Remembered, Selected } from "./port";

/** The plugin, as far as the port is about it. */
interface Owner extends Plugin {
	data: Data;
	/** Keeps a change only when the core takes it; throws the core's reason. */
	tryData(fields: Partial<Data>): Promise<void>;
}

/** The app as the panel sees it. Everything it registers ends with the plugin. */
export class ObsidianApp implements AppPort {
	readonly mobile = Platform.isMobile;
	private readonly app: App;
	private readonly finder: Finder;

	constructor(private readonly plugin: Owner) {
		this.app = plugin.app;
		this.finder = new Finder(plugin);
	}

	icon(el: HTMLElement, name: string): void {
		setIcon(el, name);
	}

	iconNames(): readonly string[] {
		return getIconIds().map((id) => id.replace(/^lucide-/, ""));
	}

	open(path: string, newPane: boolean): void {
		void this.app.workspace.openLinkText(path, "", newPane);
	}

	show(path: string, line: number, newPane: boolean): boolean {
		const file = this.app.vault.getFileByPath(path);
		if (!file) return false;
		const at = line > 0 ? { eState: { line: line - 1 } } : {};
		void this.app.workspace.getLeaf(newPane ? "tab" : false).openFile(file, at);
		return true;
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

	openReview(): void {
		void this.showReview();
	}

	private async showReview(): Promise<void> {
		const { workspace } = this.app;
		const open = workspace.getLeavesOfType(reviewType)[0];
		const leaf = open ?? workspace.getLeaf("tab");
		if (!open) await leaf.setViewState({ type: reviewType, active: true });
		await workspace.revealLeaf(leaf);
		workspace.setActiveLeaf(leaf, { focus: true });
		if (leaf.view instanceof ReviewView) leaf.view.focusReview();
	}

	closeReview(): void {
		this.app.workspace.detachLeavesOfType(reviewType);
	}

	openSettings(): void {
		this.openTab(this.plugin.manifest.id, "panel.openSettings.byHand");
	}

	openCommunityPlugins(): void {
		this.openTab("community-plugins", "panel.plugins.byHand");
	}

	/** Opens a page of the app's settings, or says how to get there by hand. */
	private openTab(id: string, byHand: string): void {
		// Not in the public typings; without it the person opens the settings by hand.
		const { setting } = this.app as App & { setting?: { open(): void; openTabById(id: string): void } };
		if (!setting) return this.notice(t(byHand));
		setting.open();
		setting.openTabById(id);
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

	choose(hint: string, choices: readonly Choice[], chosen: (value: string) => void): void {
		new ChoicePicker(this.app, hint, choices, chosen).open();
	}

	notice(text: string): void {
		new Notice(visible(text));
	}

	async copy(text: string, html?: string): Promise<void> {
		// Where the app is too old for rich text, or refuses it, the text is what is copied.
		if (html !== undefined && typeof ClipboardItem === "function") {
			const item = new ClipboardItem({
				"text/plain": new Blob([text], { type: "text/plain" }),
				"text/html": new Blob([html], { type: "text/html" }),
			});
			const done = await navigator.clipboard.write([item]).then(
				() => true,
				() => false,
			);
			if (done) return;
		}
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
		return watchSelection(this.app.workspace, changed);
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

	settings(): Settings {
		return coreSettings(this.plugin.data);
	}

	async changeSettings(fields: Partial<Settings>): Promise<Problem | null> {
		try {
			await this.plugin.tryData(fields);
			return null;
		} catch (error) {
			return asProblem(error);
		}
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

	write(text: string, where: "cursor" | "selection", path?: string): boolean {
		const view = activeNote(this.app);
		if (!view?.file || view.getMode() !== "source") return false;
		if (path !== undefined && view.file.path !== path) return false;
		const { editor } = view;
		if (where === "selection" && !editor.somethingSelected()) return false;
		// One change, so that one undo takes it back.
		if (where === "selection") editor.replaceSelection(text);
		else editor.replaceRange(text, editor.getCursor("to"));
		return true;
	}
}
