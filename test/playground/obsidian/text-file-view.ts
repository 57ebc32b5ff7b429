import { debounce, type Debouncer } from "./debounce";
import { editorText } from "./editor-text";
import type { TFile } from "./files";
import { mergeTexts } from "./merge";
import { Notice } from "./notice";
import { late, otherwise } from "./otherwise";
import { EditableFileView } from "./view";

/** How long after the last keystroke the text goes to disk, in ms. */
export const autosaveMs = 2000;

/** A view of a text file: holds its text, saves it a while after the last change, takes in changes by others. */
export abstract class TextFileView extends EditableFileView {
	data = "";
	/** True while there is text that is not on disk. */
	dirty = false;
	requestSave: Debouncer<[], Promise<void>> = debounce(() => this.save(), autosaveMs, true);
	/** What is on disk, as far as this view knows, with line feeds alone; the base of a merge. */
	private lastSaved = "";
	private saving = false;

	abstract getViewData(): string;
	abstract setViewData(data: string, clear: boolean): void;
	abstract clear(): void;

	override onload(): void {
		super.onload();
		this.registerEvent(this.app.vault.on("modify", (entry: unknown) => void this.onModified(entry)));
	}

	override async onLoadFile(file: TFile): Promise<void> {
		const text = await this.app.vault.read(file);
		if (this.file !== file) return;
		this.data = text;
		this.lastSaved = editorText(text);
		this.dirty = false;
		this.clear();
		this.setViewData(text, true);
	}

	override async onUnloadFile(file: TFile): Promise<void> {
		if (this.dirty && !file.deleted) await this.save(true);
		else if (otherwise("editor.untouched") && !file.deleted)
			await this.app.vault.modify(file, this.getViewData());
		this.requestSave.cancel();
		this.dirty = false;
	}

	/** Writes the text if it differs from what is on disk in more than its line breaks. */
	async save(clear = false): Promise<void> {
		const file = this.file;
		if (!file || file.deleted) return;
		this.requestSave.cancel();
		const text = this.getViewData();
		this.data = text;
		if (clear) this.clear();
		if (text === this.lastSaved) {
			this.dirty = false;
			return;
		}
		this.saving = true;
		this.lastSaved = text;
		try {
			await this.app.vault.modify(file, text);
			if (this.getViewDataSafely() === text) this.dirty = false;
		} catch (error) {
			this.lastSaved = "";
			this.dirty = true;
			new Notice(`Failed to save "${file.path}". ${error instanceof Error ? error.message : String(error)}`);
		} finally {
			this.saving = false;
		}
	}

	/** Says that the person changed the text. */
	markDirty(): void {
		this.dirty = true;
		this.requestSave();
	}

	private getViewDataSafely(): string {
		return this.file ? this.getViewData() : this.data;
	}

	private async onModified(entry: unknown): Promise<void> {
		const file = this.file;
		if (!file || entry !== file || this.saving) return;
		if (otherwise("editor.clean")) await sleep(late);
		const disk = editorText(await this.app.vault.read(file));
		if (this.file !== file || disk === this.lastSaved) return;
		const mine = this.getViewData();
		const base = this.lastSaved;
		this.lastSaved = disk;
		if (!this.dirty || mine === base) {
			this.dirty = false;
			this.data = disk;
			this.setViewData(disk, false);
			return;
		}
		new Notice(`"${file.path}" has been modified externally, merging changes automatically.`);
		const merged = otherwise("editor.conflict") ? mergeTexts(base, disk, mine) : mergeTexts(base, mine, disk);
		this.data = merged;
		this.setViewData(merged, false);
		if (merged === disk) this.dirty = false;
		else this.markDirty();
	}
}
