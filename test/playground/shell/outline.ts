/** The headings of the active note; clicking one goes there. */
import { MarkdownView } from "../obsidian/markdown-view";
import { ItemView } from "../obsidian/view";
import type { TFile } from "../obsidian/files";

export const outlineType = "outline";

export class OutlineView extends ItemView {
	override icon = "list";

	getViewType(): string {
		return outlineType;
	}

	getDisplayText(): string {
		return "Outline";
	}

	protected override async onOpen(): Promise<void> {
		const { workspace, metadataCache } = this.app;
		this.registerEvent(workspace.on("file-open", () => this.draw()));
		this.registerEvent(
			metadataCache.on("changed", (file: TFile) => file === workspace.getActiveFile() && this.draw()),
		);
		this.registerEvent(metadataCache.on("resolved", () => this.draw()));
		this.draw();
	}

	private draw(): void {
		this.contentEl.empty();
		const file = this.app.workspace.getActiveFile();
		const headings = (file && this.app.metadataCache.getFileCache(file)?.headings) ?? [];
		if (headings.length === 0) this.contentEl.createDiv({ cls: "pane-empty", text: "No headings found." });
		for (const { heading, level, position } of headings) {
			const row = this.contentEl.createEl("button", {
				cls: "tree-item-self is-clickable outline-item",
				text: heading,
				attr: { type: "button" },
			});
			row.style.paddingInlineStart = `${8 + (level - 1) * 14}px`;
			row.addEventListener("click", () => this.goTo(position.start.line));
		}
	}

	private goTo(line: number): void {
		const leaf = this.app.workspace.getMostRecentLeaf();
		if (!(leaf?.view instanceof MarkdownView)) return;
		this.app.workspace.setActiveLeaf(leaf);
		leaf.setEphemeralState({ line, focus: true });
	}
}
