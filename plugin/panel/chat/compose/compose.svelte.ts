// The message that is being written, and what goes along with it.

/* global $state -- the compiler of Svelte gives it */

import type { Attachment, Estimated, Mode, Send, Turn } from "../../../protocol";
import { mostAttached, mostImages, same } from "./attached";
import type { AppPort, Selected } from "../../../app/port";

/** The selection as the composer shows it. */
export interface Offer {
	path: string;
	snippet: string;
	tokens: number;
}

/** The words, what goes along with them, and how they are to be worked on. */
export class Compose {
	text = $state("");
	mode = $state<Mode>("plan");
	/** Another model than that of the settings; "" for that one. */
	model = $state("");
	attached = $state.raw<readonly Attachment[]>([]);
	/** The path of the note that was last used. */
	active = $state("");
	/** False once the person has taken the active note out of the message. */
	useActive = $state(true);
	offer = $state.raw<Offer | null>(null);
	/** False once the person has taken the selection out of the message. */
	useSelection = $state(true);
	/** The turn that this message takes the place of; "" for none. */
	replaces = $state("");
	/** Of what would go along, the paths that are never sent, as the core last said. */
	hidden = $state.raw<readonly string[]>([]);
	/** The cost of sending this, as the core last gave it. */
	cost = $state.raw<Estimated | null>(null);

	private provider: string;

	constructor(private readonly app: AppPort) {
		this.text = app.remembered("draft");
		this.mode = app.remembered("mode") === "agent" ? "agent" : "plan";
		this.provider = app.preferences().provider;
		const [provider, ...model] = app.remembered("model").split(" ");
		if (provider === this.provider) this.model = model.join(" ");
	}

	write(text: string): void {
		this.text = text;
		this.app.remember("draft", text);
	}

	setMode(mode: Mode): void {
		this.mode = mode;
		this.app.remember("mode", mode);
	}

	setModel(model: string): void {
		this.model = model;
		this.app.remember("model", model && `${this.provider} ${model}`);
	}

	/** Another provider has other models: the one that was chosen here is not asked of it. */
	followSettings(): void {
		const { provider } = this.app.preferences();
		if (provider === this.provider) return;
		this.provider = provider;
		this.setModel("");
	}

	/** Adds a thing once; false when there are too many. */
	attach(thing: Attachment): boolean {
		if (this.attached.some((a) => same(a, thing))) return true;
		const images = this.attached.filter((a) => a.kind === "image").length;
		if (this.attached.length >= mostAttached || (thing.kind === "image" && images >= mostImages))
			return false;
		this.attached = [...this.attached, thing];
		return true;
	}

	detach(thing: Attachment): void {
		this.attached = this.attached.filter((a) => a !== thing);
	}

	/** The paths of what would go along. */
	paths(): string[] {
		const all = [this.active, this.offer?.path, ...this.attached.map((a) => a.path)];
		return all.filter((path, at): path is string => !!path && all.indexOf(path) === at);
	}

	/** Looks at the active note and the selection anew; the text whose size is to be asked for, or null. */
	look(): Selected | null {
		const active = this.app.active();
		if (active !== this.active) {
			this.active = active;
			this.useActive = true;
		}
		const selected = this.app.selection();
		if (selected && selected.text !== "") return selected;
		this.offer = null;
		this.useSelection = true;
		return null;
	}

	/** Puts a message that was sent back, to be changed and sent in its place. */
	take(turn: Turn, attached: readonly Attachment[], replace: boolean): void {
		this.write(turn.text);
		this.attached = attached;
		this.replaces = replace ? turn.id : "";
	}

	/** The message as it would be sent now. */
	message(conversation: string): Send {
		const send: Send = {
			text: this.text,
			mode: this.mode,
			dryRun: false,
			useSelection: this.useSelection,
			conversation,
		};
		if (this.attached.length > 0) send.attached = [...this.attached];
		if (!this.useActive) send.omitActive = true;
		if (this.model !== "") send.model = this.model;
		if (this.replaces !== "") send.replace = true;
		return send;
	}

	/** Begins the next message; what was written meanwhile stays. */
	sent(text: string): void {
		if (this.text === text) this.write("");
		this.attached = [];
		this.useSelection = true;
		this.useActive = true;
		this.replaces = "";
	}
}
