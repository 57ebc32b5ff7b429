// What a person does in the panel, and the state it acts on. Everything that
// the core says arrives through receive; everything that the person does is one
// request.

import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import type {
	Action,
	Amendment,
	Conflict,
	Event,
	FileView,
	Method,
	Params,
	Problem,
	Result,
	Reverted,
	State,
} from "../protocol";
import { asProblem, type Core } from "./core";
import { initial, list, reduceAll, runningRun, workingTurn } from "./reducer";
import type { Selected, Shell } from "./shell";

/** Conflicts of a revert that wait for the person's choices. */
export interface OpenConflicts {
	run: string;
	path: string | undefined;
	conflicts: readonly Conflict[];
}

/** The selection as the composer shows it. */
export interface Offer {
	path: string;
	snippet: string;
	tokens: number;
}

/** Runs a function soon, once for all that asked; returns a way to forget it. */
export type Schedule = (flush: () => void) => () => void;

/** The screens of the panel. */
export type Screen = "chat" | "history" | "import";

export class Session {
	state = $state.raw(initial);
	screen = $state<Screen>("chat");
	/** What went wrong with the last thing the person did. */
	failure = $state.raw<Problem | null>(null);
	draft = $state("");
	offer = $state.raw<Offer | null>(null);
	/** False once the person has taken the selection out of the message. */
	useSelection = $state(true);
	conflicts = $state.raw<OpenConflicts | null>(null);
	reverted = $state.raw<Reverted | null>(null);
	/** The action that a link asks to run: the person says yes or no first. */
	linked = $state.raw<Action | null>(null);
	/** The run that the history opens by itself. */
	shownRun = $state("");
	/** Requests under way, so that nothing is pressed twice. */
	pending = new SvelteMap<Method, number>();
	/** True while the core starts. */
	starting = $state(false);

	private queue: Event[] = [];
	private unschedule: (() => void) | null = null;
	private conversation = newId();
	private estimating = 0;

	constructor(
		private readonly connect: () => Promise<Core>,
		readonly shell: Shell,
		private readonly schedule: Schedule,
	) {
		this.draft = shell.loadDraft();
	}

	/** Takes an event of the core; the state follows with the next frame. */
	receive(event: Event): void {
		this.queue.push(event);
		this.unschedule ??= this.schedule(() => this.flush());
	}

	/** Takes the whole state anew: the answer to hello or configure. */
	reset(state: State): void {
		this.receive({ type: "state", at: "", state });
	}

	/** Brings the state up to the last event now. */
	flush(): void {
		this.unschedule?.();
		this.unschedule = null;
		const events = this.queue;
		this.queue = [];
		if (events.length > 0) this.state = reduceAll(this.state, events);
	}

	/** Forgets what was to be drawn. */
	dispose(): void {
		this.unschedule?.();
		this.unschedule = null;
		this.queue = [];
	}

	/** Whether a request of the method is under way. */
	busy(method: Method): boolean {
		return (this.pending.get(method) ?? 0) > 0;
	}

	/** Asks the core; a failure is shown and gives undefined. */
	ask<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | undefined> {
		// An effect that asks does not depend on what is being asked.
		return untrack(() => this.request(method, params));
	}

	private async request<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | undefined> {
		this.pending.set(method, (this.pending.get(method) ?? 0) + 1);
		try {
			const core = await this.core();
			const result = await core.request(method, params);
			this.failure = null;
			return result;
		} catch (error) {
			this.failure = asProblem(error);
			return undefined;
		} finally {
			this.pending.set(method, (this.pending.get(method) ?? 1) - 1);
		}
	}

	/** Starts the core if it sleeps. A failure is shown. */
	async start(): Promise<void> {
		try {
			await this.core();
		} catch (error) {
			this.failure = asProblem(error);
		}
	}

	private async core(): Promise<Core> {
		this.starting = !this.state.loaded;
		try {
			return await this.connect();
		} finally {
			this.starting = false;
		}
	}

	setDraft(text: string): void {
		this.draft = text;
		this.shell.saveDraft(text);
	}

	/** Sends the instruction; dryRun asks for a review that cannot be approved. */
	async send(dryRun: boolean, text = this.draft): Promise<void> {
		if (text.trim() === "") return;
		this.reverted = null;
		this.conflicts = null;
		const sent = await this.ask("send", {
			text,
			mode: "plan",
			dryRun,
			useSelection: this.useSelection,
			conversation: this.conversation,
		});
		if (sent && this.draft === text) this.setDraft("");
		if (sent) this.useSelection = true;
	}

	/** Ends what is under way: the run, or the model's turn. */
	async stop(): Promise<void> {
		const run = runningRun(this.state);
		const turn = workingTurn(this.state);
		await this.ask("stop", { id: run?.run ?? turn?.id ?? "" });
	}

	/** Begins the transcript anew; what was done stays in the history. */
	newConversation(): void {
		this.conversation = newId();
		this.failure = null;
		this.reverted = null;
		this.state = { ...this.state, turns: [], run: runningRun(this.state), announcement: null };
	}

	/** Says no to the open review. */
	async closeReview(): Promise<void> {
		const review = this.state.review;
		if (!review) return;
		// A review that is being simulated again is ended first.
		if (this.busy("review.amend")) await this.ask("stop", { id: review.run });
		const closed = await this.ask("review.close", { run: review.run });
		if (closed && this.state.review?.run === review.run) {
			this.receive({ type: "review.closed", at: "", runId: review.run });
		}
	}

	/** Says yes to exactly what is shown. */
	async approve(): Promise<void> {
		const review = this.state.review;
		if (!review) return;
		this.reverted = null;
		this.conflicts = null;
		await this.ask("review.approve", { run: review.run, approval: review.approval });
	}

	/** Changes the open review; it is simulated again. */
	async amend(change: Omit<Amendment, "run">): Promise<boolean> {
		const review = this.state.review;
		if (!review) return false;
		const next = await this.ask("review.amend", { run: review.run, ...change });
		if (next) this.receive({ type: "review.changed", at: "", review: next });
		return next !== undefined;
	}

	/** One file of the open review, before and after. */
	async fileView(path: string): Promise<FileView | undefined> {
		const review = untrack(() => this.state.review);
		return review ? this.ask("review.file", { run: review.run, path }) : undefined;
	}

	/** Takes a run back: all of it, or one path. */
	async revert(run: string, path?: string, choices?: Params<"run.revert">["choices"]): Promise<void> {
		this.took(run, path, await this.ask("run.revert", { run, path, choices }));
	}

	/** Opens the history on one run. */
	showRun(run: string): void {
		this.shownRun = run;
		this.screen = "history";
	}

	/** Settles a run that a crash left unfinished. */
	async recover(run: string, choice: string): Promise<void> {
		this.took(run, undefined, await this.ask("recovery.resolve", { run, choice }));
	}

	private took(run: string, path: string | undefined, result: Reverted | undefined): void {
		if (!result) return;
		this.reverted = result;
		const conflicts = list(result.conflicts);
		this.conflicts = conflicts.length > 0 ? { run, path, conflicts } : null;
		if (result.problem) this.failure = result.problem;
	}

	/** Looks at the selection again and asks the core for its size. */
	async lookAtSelection(): Promise<void> {
		const turn = ++this.estimating;
		const selected: Selected | null = this.shell.selection();
		if (!selected || selected.text === "") {
			this.offer = null;
			this.useSelection = true;
			return;
		}
		try {
			const core = await this.connect();
			const { snippet, tokens } = await core.request("estimate", { text: selected.text });
			// A later look may have been answered before this one.
			if (turn === this.estimating) this.offer = { path: selected.path, snippet, tokens };
		} catch (error) {
			if (turn === this.estimating) this.failure = asProblem(error);
		}
	}
}

// Not randomUUID: phones show the app from an origin that has none.
function newId(): string {
	return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("-");
}
