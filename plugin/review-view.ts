// The open review as a view of the workspace: a tab of its own, with room for two columns.

import { ItemView, type WorkspaceLeaf } from "obsidian";
import { t } from "../i18n";
import type { PanelController } from "./panel/controller.svelte";

/** The type that the workspace keeps the view by. */
export const reviewType = "embedded-agent-review";

/** A tab with the open review. It goes when the review is approved or closed. */
export class ReviewView extends ItemView {
	override icon = "list-checks";
	override navigation = false;
	private hide: (() => Promise<void>) | null = null;
	private opened = false;

	/** Back shows the panel, where a person goes on. */
	constructor(
		leaf: WorkspaceLeaf,
		private readonly controller: () => Promise<PanelController>,
		private readonly back: () => void,
	) {
		super(leaf);
	}

	override getViewType(): string {
		return reviewType;
	}

	override getDisplayText(): string {
		return t("panel.review.tab");
	}

	protected override async onOpen(): Promise<void> {
		this.contentEl.addClass("ea-view");
		this.opened = true;
		const [controller, { showReview }] = await Promise.all([this.controller(), import("./panel/show")]);
		if (!this.opened) return; // closed again meanwhile
		this.hide = showReview(this.contentEl, controller, (seen) => this.over(seen));
	}

	/** Puts the keyboard into the review. */
	focusReview(): void {
		this.contentEl.querySelector<HTMLElement>(".ea-review")?.focus();
	}

	/** Closes the tab: there is no review. One that the app restored at its start has never shown any. */
	private over(seen: boolean): void {
		this.app.workspace.onLayoutReady(() => {
			if (!this.opened) return;
			this.leaf.detach();
			if (seen) this.back();
		});
	}

	protected override async onClose(): Promise<void> {
		const { hide } = this;
		this.opened = false;
		this.hide = null;
		await hide?.();
		this.contentEl.empty();
	}
}
