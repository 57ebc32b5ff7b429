// The menu that follows what is written after @ and /.

/* global $state -- the compiler of Svelte gives it */

import { icons, shownName, written } from "./attached";
import { fold } from "../../../text/fuzzy";
import { mentionAt, replaceMention, type Mention } from "./mention";
import type { MenuLine } from "../../ui/props";
import type { PanelController } from "../../controller.svelte";
import type { Named } from "../../../app/port";

/** How many saved actions are offered. */
const most = 12;

/** The choices for the name that the caret is in. */
export class Mentions {
	choices = $state.raw<readonly MenuLine[]>([]);
	active = $state(0);
	private at: Mention | null = null;
	/** Where a menu was closed by hand: it stays closed while that name is written. */
	private dismissed = -1;
	private things: readonly Named[] = [];

	constructor(private readonly controller: PanelController) {}

	get open(): boolean {
		return this.choices.length > 0;
	}

	/** Whether it is saved actions that are offered. */
	get actions(): boolean {
		return this.at?.kind === "action";
	}

	/** Follows the text and the caret. */
	async follow(text: string, caret: number): Promise<void> {
		const at = mentionAt(text, caret);
		if (at?.from !== this.dismissed) this.dismissed = -1;
		if (!at || this.dismissed >= 0) return this.close();
		const same = at.kind === this.at?.kind && at.query === this.at.query && at.from === this.at.from;
		this.at = at;
		if (same) return;
		if (at.kind === "action") return this.offer(this.actionsLike(at.query));
		const found = await this.controller.app.find(at.query);
		// A newer search has begun, or the name has been left.
		if (!found || this.at !== at) return;
		this.things = found;
		this.offer(
			found.map((thing, i) => ({
				id: `${i}:${thing.kind}:${thing.path}:${thing.name}`,
				icon: icons[thing.kind] ?? "file",
				label: shownName(thing),
				detail: thing.kind === "tag" || thing.kind === "folder" ? "" : thing.path,
			})),
		);
	}

	/** Closes the menu for the name that is being written. */
	dismiss(): void {
		this.dismissed = this.at?.from ?? -1;
		this.close();
	}

	close(): void {
		this.at = null;
		if (this.choices.length > 0) this.offer([]);
	}

	move(by: 1 | -1): void {
		const count = this.choices.length;
		if (count > 0) this.active = (this.active + by + count) % count;
	}

	/** Takes a choice: an action is run, a thing goes along and is named in the text. Where the caret is then. */
	pick(choice: MenuLine): number {
		const { at, controller } = this;
		const { compose } = controller;
		if (!at || choice.disabled) return compose.text.length;
		const thing = at.kind === "name" ? this.things[this.choices.indexOf(choice)] : undefined;
		this.close();
		if (at.kind === "action") {
			compose.write("");
			void controller.ask("actions.run", { id: choice.id });
			return 0;
		}
		if (!thing) return at.to;
		compose.attach({ ...thing });
		const next = replaceMention(compose.text, at, written(thing));
		compose.write(next.text);
		return next.caret;
	}

	private offer(choices: readonly MenuLine[]): void {
		this.choices = choices;
		this.active = Math.max(
			0,
			choices.findIndex((choice) => choice.disabled !== true),
		);
	}

	private actionsLike(query: string): MenuLine[] {
		const words = fold(query).split(/\s+/);
		const { actions, ready } = this.controller.state;
		return actions
			.filter((action) => words.every((word) => fold(action.name).includes(word)))
			.slice(0, most)
			.map((action) => ({
				id: action.id,
				icon: action.icon || "play",
				label: action.name,
				detail: action.goal,
				disabled: action.needsModel && !ready,
			}));
	}
}
