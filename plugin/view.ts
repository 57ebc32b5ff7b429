// The panel as a view of the workspace.

import { ItemView, type WorkspaceLeaf } from "obsidian";
import { t } from "../i18n";
import type { PanelController } from "./panel/controller.svelte";

/** The type that the workspace keeps the view by. */
export const viewType = "embedded-agent-panel";

/** Milliseconds after the last change of the selection before it is looked at. */
const settle = 200;

/** The side panel. The controller outlives it: closing the panel loses nothing. */
export class PanelView extends ItemView {
	override icon = "wand-sparkles";
	override navigation = false;
	private hide: (() => Promise<void>) | null = null;
	private opened = false;

	constructor(
		leaf: WorkspaceLeaf,
		private readonly controller: () => Promise<PanelController>,
	) {
		super(leaf);
	}

	override getViewType(): string {
		return viewType;
	}

	override getDisplayText(): string {
		return t("panel.title");
	}

	protected override async onOpen(): Promise<void> {
		this.contentEl.addClass("ea-view");
		this.opened = true;
		const [controller, { showPanel }] = await Promise.all([this.controller(), import("./panel/show")]);
		if (!this.opened) return; // closed again meanwhile
		this.hide = showPanel(this.contentEl, controller);
		this.app.workspace.onLayoutReady(() => {
			if (!this.hide) return;
			this.watchSelection(controller);
			void controller.start();
		});
	}

	protected override async onClose(): Promise<void> {
		const { hide } = this;
		this.opened = false;
		this.hide = null;
		await hide?.();
		this.contentEl.empty();
	}

	/** Puts the caret into the message. */
	focusMessage(): void {
		this.contentEl.querySelector<HTMLTextAreaElement>(".ea-message")?.focus();
	}

	private watchSelection(controller: PanelController): void {
		let timer = 0;
		const look = () => void controller.lookAtSelection();
		const changed = () => {
			window.clearTimeout(timer);
			timer = window.setTimeout(look, settle);
		};
		this.register(controller.app.watchSelection(changed));
		this.register(() => window.clearTimeout(timer));
		changed();
	}
}
