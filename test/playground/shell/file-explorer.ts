/** The file explorer: a tree of which only the rows on screen exist, so that 100,000 notes cost nothing. */
import { nameElement } from "../obsidian/accessible-name";
import { TFile, TFolder, type TAbstractFile } from "../obsidian/files";
import { setIcon } from "../obsidian/icons";
import { Menu } from "../obsidian/menu";
import { Notice } from "../obsidian/notice";
import { joinPath, parentPath } from "../obsidian/paths";
import { ItemView } from "../obsidian/view";
import { promptForName } from "./palette";

export const fileExplorerType = "file-explorer";
const rowHeight = 28;
/** Rows drawn beyond the edges of the window. */
const overscan = 8;

interface Row {
	entry: TAbstractFile;
	depth: number;
}

export class FileExplorerView extends ItemView {
	override icon = "folder-closed";
	private readonly expanded = new Set<string>();
	private rows: Row[] = [];
	private focused: string | null = null;
	private scheduled = false;
	private scrollEl!: HTMLElement;
	private spacerEl!: HTMLElement;

	getViewType(): string {
		return fileExplorerType;
	}

	getDisplayText(): string {
		return "Files";
	}

	override getState(): Record<string, unknown> {
		return { expanded: [...this.expanded] };
	}

	override async setState(state: unknown): Promise<void> {
		const expanded = (state as { expanded?: unknown } | null)?.expanded;
		if (!Array.isArray(expanded)) return;
		for (const path of expanded) this.expanded.add(String(path));
		this.refresh();
	}

	protected override async onOpen(): Promise<void> {
		this.contentEl.addClass("nav-files-view");
		const buttons = this.contentEl.createDiv("nav-header").createDiv("nav-buttons-container");
		this.button(buttons, "square-pen", "New note", () =>
			this.app.commands.executeCommandById("file-explorer:new-file"),
		);
		this.button(buttons, "folder-plus", "New folder", () => void this.newFolder(this.app.vault.getRoot()));
		this.button(buttons, "chevrons-down-up", "Collapse all", () => {
			this.expanded.clear();
			this.refresh();
		});
		this.scrollEl = this.contentEl.createDiv({
			cls: "nav-files-container",
			attr: { role: "tree", tabindex: "0" },
		});
		nameElement(this.scrollEl, "Files");
		this.spacerEl = this.scrollEl.createDiv({ cls: "nav-files-spacer", attr: { role: "presentation" } });
		this.scrollEl.addEventListener("scroll", () => this.draw());
		this.scrollEl.addEventListener("keydown", (event) => this.onKey(event));
		for (const name of ["create", "delete", "rename"])
			this.registerEvent(this.app.vault.on(name, () => this.schedule()));
		this.registerEvent(this.app.workspace.on("file-open", () => this.draw()));
		this.registerEvent(this.app.workspace.on("resize", () => this.draw()));
		const observer = new ResizeObserver(() => this.draw());
		observer.observe(this.scrollEl);
		this.register(() => observer.disconnect());
		this.refresh();
	}

	/** Opens the folders above an entry and scrolls to it. */
	reveal(entry: TAbstractFile): void {
		for (let folder = entry.parent; folder && !folder.isRoot(); folder = folder.parent)
			this.expanded.add(folder.path);
		this.refresh();
		const index = this.rows.findIndex((row) => row.entry === entry);
		if (index >= 0) this.scrollEl.scrollTop = Math.max(0, index * rowHeight - this.scrollEl.clientHeight / 2);
	}

	private button(parent: HTMLElement, icon: string, title: string, run: () => unknown): void {
		const el = parent.createEl("button", {
			cls: "clickable-icon nav-action-button",
			attr: { type: "button", "aria-label": title },
		});
		setIcon(el, icon);
		el.addEventListener("click", () => run());
	}

	/** At most one redraw per frame, however many files change. */
	private schedule(): void {
		if (this.scheduled) return;
		this.scheduled = true;
		requestAnimationFrame(() => {
			this.scheduled = false;
			this.refresh();
		});
	}

	private refresh(): void {
		this.rows = [];
		this.collect(this.app.vault.getRoot(), 0);
		this.spacerEl.style.height = `${this.rows.length * rowHeight}px`;
		this.draw();
	}

	private collect(folder: TFolder, depth: number): void {
		const sorted = folder.children.slice().sort(compareEntries);
		for (const entry of sorted) {
			this.rows.push({ entry, depth });
			if (entry instanceof TFolder && this.expanded.has(entry.path)) this.collect(entry, depth + 1);
		}
	}

	private draw(): void {
		const first = Math.max(0, Math.floor(this.scrollEl.scrollTop / rowHeight) - overscan);
		const last = Math.min(
			this.rows.length,
			Math.ceil((this.scrollEl.scrollTop + this.scrollEl.clientHeight) / rowHeight) + overscan,
		);
		const active = this.app.workspace.getActiveFile();
		this.spacerEl.replaceChildren(
			...this.rows.slice(first, last).map((row, index) => this.drawRow(row, first + index, active)),
		);
	}

	private drawRow({ entry, depth }: Row, index: number, active: TFile | null): HTMLElement {
		const isFolder = entry instanceof TFolder;
		const kind = isFolder ? "folder" : "file";
		const row = createDiv({
			cls: `tree-item nav-${kind}`,
			attr: {
				role: "treeitem",
				"aria-level": depth + 1,
				"aria-selected": entry === active,
				"data-path": entry.path,
				id: `nav-${index}`,
			},
		});
		row.setCssStyles({ top: `${index * rowHeight}px`, height: `${rowHeight}px` });
		const title = row.createDiv({
			cls: `tree-item-self nav-${kind}-title is-clickable`,
			attr: { "data-path": entry.path },
		});
		title.style.paddingInlineStart = `${8 + depth * 17}px`;
		title.toggleClass("is-active", entry === active);
		title.toggleClass("has-focus", entry.path === this.focused);
		const icon = title.createDiv("tree-item-icon collapse-icon");
		if (isFolder) {
			const open = this.expanded.has(entry.path);
			row.setAttribute("aria-expanded", String(open));
			icon.toggleClass("is-collapsed", !open);
			setIcon(icon, "chevron-right");
		}
		title.createDiv({
			cls: `tree-item-inner nav-${kind}-title-content`,
			text: entry instanceof TFile ? entry.getShortName() : entry.name,
		});
		if (entry instanceof TFile && entry.extension !== "md")
			title.createDiv({ cls: "nav-file-tag", text: entry.extension });
		title.addEventListener("click", (event) => this.choose(entry, event));
		title.addEventListener("contextmenu", (event) => this.showMenu(entry, event));
		return row;
	}

	private choose(entry: TAbstractFile, event: MouseEvent | KeyboardEvent): void {
		this.focused = entry.path;
		if (entry instanceof TFolder) {
			if (!this.expanded.delete(entry.path)) this.expanded.add(entry.path);
			this.refresh();
			this.app.workspace.requestSaveLayout();
		} else if (entry instanceof TFile) {
			const leaf = this.app.workspace.getLeaf(event.ctrlKey || event.metaKey ? "tab" : false);
			void leaf.openFile(entry);
			if (this.app.isMobile) this.app.workspace.leftSplit.collapse();
		}
	}

	private onKey(event: KeyboardEvent): void {
		const index = this.rows.findIndex((row) => row.entry.path === this.focused);
		const row = this.rows[index];
		if (event.key === "ArrowDown") this.focusRow(index + 1);
		else if (event.key === "ArrowUp") this.focusRow(index < 0 ? 0 : index - 1);
		else if (event.key === "Enter" && row) this.choose(row.entry, event);
		else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && row?.entry instanceof TFolder) {
			if (this.expanded.has(row.entry.path) === (event.key === "ArrowLeft")) this.choose(row.entry, event);
		} else return;
		event.preventDefault();
	}

	private focusRow(index: number): void {
		const row = this.rows[Math.min(Math.max(index, 0), this.rows.length - 1)];
		if (!row) return;
		this.focused = row.entry.path;
		const top = this.rows.indexOf(row) * rowHeight;
		if (top < this.scrollEl.scrollTop) this.scrollEl.scrollTop = top;
		const bottom = top + rowHeight - this.scrollEl.clientHeight;
		if (bottom > this.scrollEl.scrollTop) this.scrollEl.scrollTop = bottom;
		this.draw();
		this.scrollEl.setAttribute("aria-activedescendant", `nav-${this.rows.indexOf(row)}`);
	}

	private showMenu(entry: TAbstractFile, event: MouseEvent): void {
		const menu = new Menu();
		if (entry instanceof TFile)
			menu.addItem((item) =>
				item
					.setSection("open")
					.setTitle("Open in new tab")
					.setIcon("file-plus")
					.onClick(() => void this.app.workspace.getLeaf("tab").openFile(entry)),
			);
		if (entry instanceof TFolder) {
			menu.addItem((item) =>
				item
					.setSection("open")
					.setTitle("New note")
					.setIcon("square-pen")
					.onClick(() => void this.newNote(entry)),
			);
			menu.addItem((item) =>
				item
					.setSection("open")
					.setTitle("New folder")
					.setIcon("folder-plus")
					.onClick(() => void this.newFolder(entry)),
			);
		}
		this.app.workspace.trigger("file-menu", menu, entry, "file-explorer-context-menu");
		menu.addItem((item) =>
			item
				.setSection("danger")
				.setTitle("Rename...")
				.setIcon("pencil")
				.onClick(() => void this.rename(entry)),
		);
		menu.addItem((item) =>
			item
				.setSection("danger")
				.setTitle("Delete")
				.setIcon("trash-2")
				.setWarning(true)
				.onClick(() => void this.app.fileManager.promptForDeletion(entry)),
		);
		menu.showAtMouseEvent(event);
	}

	private async newNote(folder: TFolder): Promise<void> {
		const { vault, workspace } = this.app;
		const path = vault.getAvailablePath(joinPath(folder.path, "Untitled"), "md");
		await workspace.getLeaf(false).openFile(await vault.create(path, ""));
		this.expanded.add(folder.path);
		this.refresh();
	}

	private async newFolder(parent: TFolder): Promise<void> {
		const name = await promptForName(this.app, "Folder name", "Untitled");
		if (name !== null) await this.attempt(() => this.app.vault.createFolder(joinPath(parent.path, name)));
	}

	private async rename(entry: TAbstractFile): Promise<void> {
		const shown = entry instanceof TFile && entry.extension === "md" ? entry.basename : entry.name;
		const name = await promptForName(this.app, "New name", shown);
		if (name === null || name === shown) return;
		const full = entry instanceof TFile && entry.extension === "md" ? `${name}.md` : name;
		await this.attempt(() => this.app.fileManager.renameFile(entry, joinPath(parentPath(entry.path), full)));
	}

	private async attempt(work: () => Promise<unknown>): Promise<void> {
		try {
			await work();
		} catch (error) {
			new Notice(error instanceof Error ? error.message : String(error));
		}
	}
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Folders first, then by name with numbers in their order. */
function compareEntries(a: TAbstractFile, b: TAbstractFile): number {
	const folders = Number(b instanceof TFolder) - Number(a instanceof TFolder);
	return folders || collator.compare(a.name, b.name);
}
