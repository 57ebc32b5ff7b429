// A reply as it is drawn while it arrives: the core says what it is made of, and
// what of that will not change any more, so that each arrival is read from the
// last open block on, and not from the beginning.

/* global $state -- the compiler of Svelte gives it */

import type { ReplyNode, ReplyText, ReplyTree } from "../../../protocol";
import { list } from "../../reducer";

/** Asks the core what a text is made of; undefined where it cannot say. */
export type Ask = (text: ReplyText) => Promise<ReplyTree | undefined>;

/** Milliseconds between two drawings of a reply that grows, at least. */
const pause = 40;

export class Drawing {
	/** The blocks, top to bottom. Blocks that stay the same stay the same objects. */
	blocks = $state.raw<readonly ReplyNode[]>([]);
	/** False while there is text that has not been drawn. */
	whole = $state(false);

	private wanted = "";
	private drawn = "";
	/** The settled part: so many blocks, of so many characters, of so many nodes. */
	private settled = { blocks: 0, at: 0, nodes: 0 };
	private busy = false;
	private over = false;
	private timer = 0;

	constructor(private readonly ask: Ask) {}

	/** Draws a text soon. One that does not go on from the last is drawn anew. */
	show(text: string): void {
		this.wanted = text;
		this.whole = text === this.drawn;
		if (!this.busy) void this.draw();
	}

	/** Draws nothing more. */
	end(): void {
		this.over = true;
		window.clearTimeout(this.timer);
	}

	private async draw(): Promise<void> {
		if (this.over || (this.drawn === this.wanted && this.blocks.length > 0)) return;
		this.busy = true;
		const text = this.wanted;
		if (!text.startsWith(this.drawn)) this.settled = { blocks: 0, at: 0, nodes: 0 };
		const begun = performance.now();
		const { blocks, at, nodes } = this.settled;
		const tree = await this.ask({ text: text.slice(at), drawn: nodes });
		if (this.over) return;
		this.drawn = text;
		this.take(text.slice(at), blocks, at, tree);
		this.whole = text === this.wanted;
		// After a slow drawing the next one waits longer: however fast text
		// arrives, most of the time is left to the person.
		const rest = Math.max(pause, 3 * (performance.now() - begun));
		this.timer = window.setTimeout(() => {
			this.busy = false;
			void this.draw();
		}, rest);
	}

	private take(text: string, blocks: number, at: number, tree: ReplyTree | undefined): void {
		// What the core could not read is shown as it was written.
		const fresh: readonly ReplyNode[] = tree ? list(tree.blocks) : [{ kind: "plain", text }];
		this.blocks = [...this.blocks.slice(0, blocks), ...fresh];
		if (!tree) return;
		this.settled = { blocks: blocks + (tree.ready ?? 0), at: at + (tree.at ?? 0), nodes: tree.drawn ?? 0 };
	}
}
