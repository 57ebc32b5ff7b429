// Tells a person about the work while the panel is closed: an item in the status bar
// while something is under way, and a notice at its end that opens it.

import { Notice, type Plugin } from "obsidian";
import { t } from "../i18n";
import type { Event, RunState, Turn } from "./protocol";
import { visible } from "./text/marks";

/** The panel, as far as it matters here. */
export interface PanelPlace {
	visible(): boolean;
	/** Opens the panel on a run, or on the conversation. */
	open(run?: string): void;
}

/** Follows the core's events for those who do not see the panel. */
export class Status {
	private text = "";
	private item: HTMLElement | null = null;

	constructor(
		private readonly plugin: Plugin,
		private readonly panel: PanelPlace,
	) {
		plugin.registerEvent(plugin.app.workspace.on("layout-change", () => this.draw()));
		plugin.register(() => this.item?.remove());
	}

	heard(event: Event): void {
		if (event.notice) this.tell(t(event.notice.text), event.notice.run);
		if (event.turn) this.turn(event.turn);
		if (event.run) this.run(event.run);
	}

	private turn(turn: Turn | undefined): void {
		if (!turn) return;
		const over = turn.phase === "done";
		this.show(over ? "" : t(turn.mode === "agent" ? "chat.status.working" : `panel.phase.${turn.phase}`));
		if (!over || turn.outcome === "cancelled" || this.panel.visible()) return;
		this.tell(t(`panel.said.${turn.hollow ? "hollow" : (turn.outcome ?? "answer")}`), "");
	}

	private run(run: RunState): void {
		const over = run.state === "finished";
		this.show(over ? "" : t(run.text));
		if (over && !this.panel.visible()) this.tell(t(run.text), run.run);
	}

	/** A notice; with a run, or "" for the conversation, a click opens it. */
	private tell(text: string, run?: string): void {
		const notice = new Notice(visible(text));
		if (run === undefined) return;
		notice.messageEl.addClass("ea-notice");
		notice.messageEl.addEventListener("click", () => this.panel.open(run));
	}

	private show(text: string): void {
		this.text = text;
		this.draw();
	}

	/** The item is there only while something is under way and the panel is closed. */
	private draw(): void {
		if (this.text === "" || this.panel.visible()) {
			this.item?.remove();
			this.item = null;
			return;
		}
		if (!this.item) {
			this.item = this.plugin.addStatusBarItem();
			this.item.addClass("mod-clickable");
			this.item.addEventListener("click", () => this.panel.open());
		}
		this.item.setText(this.text);
	}
}
