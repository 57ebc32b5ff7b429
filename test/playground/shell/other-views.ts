/** Views of files that are not notes. */
import type { TFile } from "../obsidian/files";
import { FileView } from "../obsidian/view";

const images = new Set(["png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif"]);
export const imageExtensions = [...images];

/** A picture. */
export class ImageView extends FileView {
	override icon = "image";

	getViewType(): string {
		return "image";
	}

	override async onLoadFile(file: TFile): Promise<void> {
		this.contentEl.empty();
		this.contentEl.addClass("image-container");
		this.contentEl.createEl("img", { attr: { src: this.app.vault.getResourcePath(file), alt: file.name } });
	}
}

/** Anything else: its name and size. */
export class UnsupportedFileView extends FileView {
	getViewType(): string {
		return "file";
	}

	override async onLoadFile(file: TFile): Promise<void> {
		this.contentEl.empty();
		this.contentEl.createDiv({
			cls: "empty-state",
			text: `${file.name} (${file.stat.size} bytes) cannot be shown here.`,
		});
	}
}
