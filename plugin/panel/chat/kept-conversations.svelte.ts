// The conversations that are kept: which one the panel is in, and the others.

/* global $state -- the compiler of Svelte gives it */

import type { Conversation } from "../../protocol";
import { list } from "../reducer";
import type { PanelController } from "../controller.svelte";

/** How many conversations are listed at first, and with every "Show more". */
const page = 30;

/** The present conversation and the list of the kept ones. */
export class KeptConversations {
	/** The conversation that the next message belongs to. */
	id = $state(newId());
	/** Null until the core has answered. */
	found = $state.raw<readonly Conversation[] | null>(null);
	text = $state("");
	limit = $state(page);
	private asked = 0;

	constructor(private readonly controller: PanelController) {}

	/** Whether there may be more than what is listed. */
	get more(): boolean {
		return (this.found?.length ?? 0) >= this.limit;
	}

	/** Lists the conversations that have the text in them. */
	async search(text: string): Promise<void> {
		const mine = ++this.asked;
		this.text = text;
		const found = await this.controller.ask("conversations.list", { text, limit: this.limit });
		if (mine === this.asked && found) this.found = list(found.conversations);
	}

	async showMore(): Promise<void> {
		this.limit += page;
		await this.search(this.text);
	}

	/** Begins a new conversation; the old one stays in the list. */
	begin(): void {
		this.id = newId();
		this.controller.app.remember("conversation", "");
	}

	/** The present conversation is the one to come back to. */
	keep(): void {
		this.controller.app.remember("conversation", this.id);
	}

	/** Opens a kept conversation. */
	async open(id: string): Promise<void> {
		const detail = await this.controller.ask("conversation.get", { id });
		if (!detail) return;
		this.id = id;
		this.keep();
		this.controller.transcript(list(detail.turns));
	}

	/** Comes back to the conversation of the last time, unless another has begun. */
	async restore(): Promise<void> {
		const id = this.controller.app.remembered("conversation");
		if (id === "" || id === this.id || this.controller.state.turns.length > 0) return;
		const mine = this.id;
		const detail = await this.controller.askQuietly("conversation.get", { id });
		this.controller.flush();
		const { turns } = this.controller.state;
		if (!detail?.turns || mine !== this.id || turns.length > 0) return;
		this.id = id;
		this.controller.state = { ...this.controller.state, turns: list(detail.turns) };
	}

	async rename(id: string, title: string): Promise<boolean> {
		return this.take(await this.controller.ask("conversation.rename", { id, title }));
	}

	async remove(id: string): Promise<boolean> {
		const done = this.take(await this.controller.ask("conversation.remove", { id }));
		if (done && id === this.id) {
			const { screen } = this.controller;
			this.controller.newConversation();
			this.controller.screen = screen;
		}
		return done;
	}

	/** Opens the review of a note with the conversation in it. */
	async exportTo(id: string, path: string): Promise<boolean> {
		const run = await this.controller.ask("conversation.export", { id, path });
		if (run) this.controller.screen = "chat";
		return run !== undefined;
	}

	/** The core has told that the list has changed: it is asked for anew. */
	changed(): void {
		if (this.found) void this.search(this.text);
	}

	private take(left: { conversations: Conversation[] } | undefined): boolean {
		if (!left) return false;
		// The answer is every conversation; what is shown may be a part.
		void this.search(this.text);
		return true;
	}
}

// Not randomUUID: phones show the app from an origin that has none.
function newId(): string {
	return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("-");
}
