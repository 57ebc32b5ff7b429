// What a person can do in the panel, and the state that it acts on. Everything that
// the core says arrives through receive; everything that the person does is one
// request.

/* global $state -- the compiler of Svelte gives it */

import { untrack } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import type {
	Action,
	ActionDetail,
	Amendment,
	Attachment,
	Conflict,
	Event,
	FileChange,
	FileView,
	Method,
	Params,
	Problem,
	RecoveryChoice,
	Result,
	Reverted,
	Send,
	State,
	Turn,
} from "../protocol";
import { t } from "../../i18n";
import { Compose } from "./chat/compose/compose.svelte";
import { asProblem, type Core } from "./core";
import { Drafts } from "./review/drafts.svelte";
import { initial, list, reduceAll, revertable, runningRun, runOf, workingTurn } from "./reducer";
import type { AppPort } from "../app/port";
import { KeptConversations } from "./chat/kept-conversations.svelte";
import { quietly, UnderWay, Waiting } from "./waiting";

/** Conflicts of a revert that wait for the person's choices. */
export interface OpenConflicts {
	run: string;
	path: string | undefined;
	conflicts: readonly Conflict[];
}

/** Runs a function soon, once for all that asked; returns a way to forget it. */
export type Schedule = (flush: () => void) => () => void;

/** The screens of the panel. */
export type Screen = "chat" | "conversations" | "history" | "import" | "action" | "plugins" | "tools";

/**
 * Requests that Cancel leaves alone: it is one itself, or they settle something
 * that a person has said yes or no to, and are answered at once or must be whole.
 */
const settles: ReadonlySet<Method> = new Set<Method>([
	"stop",
	"answer",
	"review.approve",
	"review.close",
	"run.revert",
	"run.pause",
	"run.resume",
	"recovery.resolve",
	"configure",
]);

/** What is drawn stays to be drawn: Cancel leaves it, and its time ends it. */
const drawn: ReadonlySet<Method> = new Set<Method>(["reply.draw", "hidden", "estimate"]);

export class PanelController {
	state = $state.raw(initial);
	screen = $state<Screen>("chat");
	/** The error of the person's last deed. */
	failure = $state.raw<Problem | null>(null);
	/** What was asked when it failed: the error stands where that was pressed. */
	failedBy = $state<Method | "">("");
	/** The message that is being written. */
	readonly compose: Compose;
	/** The kept conversations. */
	readonly conversations: KeptConversations;
	conflicts = $state.raw<OpenConflicts | null>(null);
	reverted = $state.raw<Reverted | null>(null);
	/** The run that is being undone; "" for none. */
	reverting = $state("");
	/** How many tabs of the app show the open review: the panel does not show it then. */
	tabs = $state(0);
	/** What is being written in the open review. */
	readonly drafts = new Drafts();
	/** The action that a link asks to run: the person says yes or no first. */
	linked = $state.raw<Action | null>(null);
	/** An output that was too long for its row, opened. */
	attachment = $state.raw<Result<"attachment.get"> | null>(null);
	/** The run that the history opens by itself. */
	shownRun = $state("");
	/** The turn that a link has opened. */
	shownTurn = $state("");
	/** The saved action that is opened as steps; null for a new one. */
	opened = $state.raw<ActionDetail | null>(null);
	/** Requests under way, so that nothing is pressed twice. */
	pending = new SvelteMap<Method, number>();
	/** How often the settings were taken over: what is asked of them is asked again. */
	settingsSeen = $state(0);
	/** True while the core starts. */
	starting = $state(false);

	private queue: Event[] = [];
	private unschedule: (() => void) | null = null;
	/** Ends the requests under way: Cancel ends those that a person waits for. */
	private readonly underWay = new UnderWay();
	private readonly quiet = new Waiting();
	private readonly drawing = new Waiting();
	/** The attachments of a turn, by its id, for sending it again. */
	private sent = new SvelteMap<string, readonly Attachment[]>();
	/** How the message was to be sent that was refused last. */
	private unsent: Partial<Send> = {};
	private estimating = 0;
	private looking = 0;

	constructor(
		private readonly connect: () => Promise<Core>,
		readonly app: AppPort,
		private readonly schedule: Schedule,
	) {
		this.compose = new Compose(app);
		this.conversations = new KeptConversations(this);
	}

	/** Takes an event of the core; the state follows with the next frame. */
	receive(event: Event): void {
		this.queue.push(event);
		if (event.type === "conversations.changed") this.conversations.changed();
		this.unschedule ??= this.schedule(() => this.flush());
	}

	/** Takes the whole state anew: the answer to hello or configure. */
	reset(state: State): void {
		this.settingsSeen++;
		this.compose.followSettings();
		this.receive({ type: "state", at: "", state });
	}

	/** Brings the state up to the last event now. */
	flush(): void {
		this.unschedule?.();
		this.unschedule = null;
		const events = this.queue;
		this.queue = [];
		if (events.length === 0) return;
		const shown = this.state.review?.run;
		this.state = reduceAll(this.state, events);
		if (this.state.review?.run !== shown) this.drafts.reviewChanged();
		if (events.some((event) => event.type === "review.opened"))
			this.drafts.restore(this.state.review?.drafts);
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

	/** How many requests were made, and how many until the last failure. */
	private asked = 0;
	private failedAt = 0;

	private async request<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | undefined> {
		this.pending.set(method, (this.pending.get(method) ?? 0) + 1);
		const turn = ++this.asked;
		const cancel = settles.has(method) ? new AbortController() : this.underWay.begin();
		try {
			const core = await this.core();
			const urgent = method === "stop" || method === "review.close";
			const result = await core.request(method, params, { signal: cancel.signal, urgent });
			// What failed meanwhile is still to be read.
			if (turn > this.failedAt) this.failure = null;
			return result;
		} catch (error) {
			// What the person cancelled is no failure.
			if (!cancel.signal.aborted || asProblem(error).code !== "CANCELLED") {
				this.failure = asProblem(error);
				this.failedBy = method;
				this.failedAt = this.asked;
			}
			return undefined;
		} finally {
			this.underWay.over(cancel);
			this.pending.set(method, (this.pending.get(method) ?? 1) - 1);
		}
	}

	/**
	 * Asks the core for what is not worth a complaint; undefined when it fails, takes
	 * too long, or the person cancels.
	 */
	async askQuietly<M extends Method>(method: M, params: Params<M>): Promise<Result<M> | undefined> {
		try {
			const core = await untrack(() => this.core());
			const waiting = drawn.has(method) ? this.drawing : this.quiet;
			return await waiting.run(quietly, (signal) => core.request(method, params, { signal }));
		} catch {
			return undefined;
		}
	}

	/** Starts the core if it sleeps. A failure is shown. */
	async start(): Promise<void> {
		try {
			await this.core();
		} catch (error) {
			this.failure = asProblem(error);
			return;
		}
		await this.conversations.restore();
	}

	private async core(): Promise<Core> {
		this.starting = !this.state.loaded;
		try {
			return await this.connect();
		} finally {
			this.starting = false;
		}
	}

	/** Whether the core works on a turn; then no conversation begins or is opened. */
	get working(): Turn | null {
		return workingTurn(this.state);
	}

	/** The run that "Revert last run" takes back; "" where there is none. */
	get revertable(): string {
		return revertable(this.state);
	}

	/** Sends what is written; dryRun asks for a review that cannot be approved. */
	async send(more: Partial<Send> = {}): Promise<void> {
		// A message ends an open review; what joins a working turn does not.
		if (this.state.review && !workingTurn(this.state)) await this.leave(() => this.sendNow(more));
		else await this.sendNow(more);
	}

	/** Sends the message that was refused since nothing is selected, as it was to be sent. */
	async sendWithoutSelection(): Promise<void> {
		await this.send({ ...this.unsent, noSelection: true });
	}

	private async sendNow(more: Partial<Send>): Promise<void> {
		const message = { ...this.compose.message(this.conversations.id), ...more };
		if (message.text.trim() === "" && !message.continue) return;
		this.reverted = null;
		this.conflicts = null;
		const accepted = await this.ask("send", message);
		this.unsent = accepted ? {} : more;
		if (!accepted) return;
		// What joins a working agent is part of a turn that had its own.
		if (message.attached && !this.sent.has(accepted.turn)) this.sent.set(accepted.turn, message.attached);
		this.conversations.keep();
		if (message.replace) this.withoutLast(accepted.turn);
		if (!message.continue) this.compose.sent(message.text);
	}

	/** Sends a message once more, in the place of the turn that it began. */
	async regenerate(turn: Turn): Promise<void> {
		const attached = this.attachedTo(turn);
		await this.send({
			text: turn.text,
			mode: turn.mode ?? this.compose.mode,
			replace: true,
			...(attached.length > 0 ? { attached: [...attached] } : {}),
		});
	}

	/** The attachments of a turn: with the images' bytes where this panel sent them. */
	attachedTo(turn: Turn): readonly Attachment[] {
		return this.sent.get(turn.id) ?? list(turn.attached);
	}

	/** The turn that was replaced leaves the transcript. */
	private withoutLast(by: string): void {
		const turns = this.state.turns.filter((turn) => turn.id !== by);
		const replaced = turns.at(-1);
		if (replaced) this.state = { ...this.state, turns: this.state.turns.filter((t) => t !== replaced) };
	}

	/**
	 * Ends what is under way: the run, or the model's turn, and what the panel waits
	 * for. A core that does not answer is ended, and a new one started.
	 */
	async stop(): Promise<void> {
		this.underWay.end();
		this.quiet.end();
		const run = runningRun(this.state);
		const turn = workingTurn(this.state);
		await this.ask("stop", { id: run?.run ?? turn?.id ?? "" });
	}

	/** Begins the transcript anew; what was done stays in the history. */
	newConversation(): void {
		this.conversations.begin();
		this.transcript([]);
	}

	/** Shows another conversation's turns. */
	transcript(turns: readonly Turn[]): void {
		this.failure = null;
		this.reverted = null;
		this.compose.replaces = "";
		this.screen = "chat";
		this.flush();
		const shown = this.state.turns.map((turn) => turn.conversation).filter((id) => id !== "");
		const left = [...this.state.left, ...shown].filter(
			(id, i, all) => id !== this.conversations.id && all.indexOf(id) === i,
		);
		this.state = { ...this.state, turns, left, run: runningRun(this.state), announcement: null };
	}

	/** Says no to the open review; texts that were written in it and not kept are asked about first. */
	async closeReview(): Promise<void> {
		await this.leave(() => this.closeNow());
	}

	private async closeNow(): Promise<void> {
		const review = this.state.review;
		if (!review) return;
		// A review that is being simulated again is ended first.
		if (this.busy("review.amend")) {
			this.underWay.end();
			await this.ask("stop", { id: review.run });
		}
		const closed = await this.ask("review.close", { run: review.run });
		this.flush(); // what the core has said of its end says more
		if (closed && this.state.review?.run === review.run) {
			this.receive({ type: "review.closed", at: "", runId: review.run });
		}
	}

	/**
	 * Says yes to exactly what is shown. Where something is written in the review
	 * and not kept, that goes into the review first, and nothing is approved.
	 */
	async approve(): Promise<void> {
		const review = this.state.review;
		if (!review) return;
		if (this.drafts.any) {
			this.drafts.added = await this.keepDrafts();
			return;
		}
		this.drafts.added = false;
		this.reverted = null;
		this.conflicts = null;
		await this.ask("review.approve", { run: review.run, approval: review.approval });
	}

	/** Puts all drafts into the review: the plan first, which decides what files there are. False where one was refused. */
	private async keepDrafts(): Promise<boolean> {
		const { plan, texts } = this.drafts;
		if (plan !== null) {
			if (!(await this.amend({ kind: "plan", plan }))) return false;
			this.drafts.plan = null;
		}
		for (const [path, read] of [...texts]) {
			if (!(await this.amend({ kind: "edit", path, text: read() }))) return false;
			texts.delete(path);
		}
		return true;
	}

	/** Changes the open review; it is simulated again. */
	async amend(change: Omit<Amendment, "run">): Promise<boolean> {
		const review = this.state.review;
		if (!review) return false;
		const next = await this.ask("review.amend", { run: review.run, ...change });
		if (next) this.receive({ type: "review.changed", at: "", review: next });
		else this.state = { ...this.state, progress: null }; // it is over
		return next !== undefined;
	}

	/** Takes changes of the open review in, or leaves them out, all at once. */
	async include(changes: readonly FileChange[], inside: boolean): Promise<void> {
		if (this.busy("review.amend")) return;
		const paths = changes.filter(({ dropped }) => Boolean(dropped) === inside).map(({ path }) => path);
		if (paths.length > 0) await this.amend({ kind: inside ? "keep" : "drop", paths });
	}

	/** Simulates the plan of a review that was lost with its core; no model is asked for it. */
	async planAgain(): Promise<void> {
		const review = this.state.review;
		if (!review) return;
		const { run, plan, dryRun } = review;
		this.drafts.carried = true;
		await this.ask("review.open", { run, plan, dryRun });
	}

	/** Reviews a plan that has not run, as the person left it; no model is asked for it. */
	async reviewAgain(run: string): Promise<void> {
		await this.leave(() => this.ask("review.open", { run }));
	}

	/** Keeps what is being written in the open review, so that a restart does not lose it. */
	async keepTyped(): Promise<void> {
		const run = this.state.review?.run;
		const drafts = run ? this.drafts.toKeep() : undefined;
		if (!run || !drafts) return;
		try {
			await (await this.core()).request("review.draft", { run, drafts });
		} catch (error) {
			this.failure = asProblem(error);
		}
	}

	/** Leaves the review; what the person discards in it is not kept either. */
	private leave(go: () => Promise<unknown>): Promise<void> {
		return this.drafts.before(async () => {
			await this.keepTyped();
			await go();
		});
	}

	/** One file of the open review, before and after. */
	async fileView(path: string): Promise<FileView | undefined> {
		const review = untrack(() => this.state.review);
		return review ? this.ask("review.file", { run: review.run, path }) : undefined;
	}

	/** Takes a run back: all of it, or one path. */
	async revert(run: string, path?: string, choices?: Params<"run.revert">["choices"]): Promise<void> {
		await this.showReverted(run, path, await this.undo({ run, path, choices }));
	}

	private async undo(params: Params<"run.revert">): Promise<Reverted | undefined> {
		this.reverting = params.run;
		const result = await this.ask("run.revert", params);
		this.reverting = "";
		return result;
	}

	/** Ends the undo that is being made: writes that were begun are ended, and no other begins. */
	async cancelRevert(): Promise<void> {
		await this.ask("stop", { id: this.reverting });
	}

	/** Shows what taking a run back would change; nothing is done before a yes to it. */
	async reviewRevert(run: string): Promise<void> {
		await this.showReverted(run, undefined, await this.undo({ run, review: true }));
	}

	/** Opens a run in the history; what led to no run, at its turn, in whichever conversation that is. */
	async showRun(run: string): Promise<void> {
		const went = await this.askQuietly("run.get", { run });
		const turn = went ? undefined : await this.turnOf(run);
		this.shownRun = went ? run : "";
		this.shownTurn = turn?.id ?? "";
		if (went) this.screen = "history";
		else if (turn) this.screen = "chat";
		else await this.ask("run.get", { run }); // says why there is nothing to show
	}

	/** The turn that a run's id stands for; its conversation is opened where it is another one. */
	private async turnOf(run: string): Promise<Turn | undefined> {
		const find = () => this.state.turns.find((t) => runOf(t) === run);
		if (find()) return find();
		const conversation = (await this.askQuietly("trace.get", { run }))?.conversation;
		if (conversation) await this.conversations.open(conversation);
		return find();
	}

	/** Shows an output that was kept beside a run, since it was too long. */
	async showAttachment(run: string, file: string): Promise<void> {
		this.attachment = (await this.ask("attachment.get", { run, file })) ?? null;
	}

	/** Opens a saved action as steps. */
	async openAction(id: string): Promise<void> {
		const detail = await this.ask("action.get", { id });
		if (detail) this.showAction(detail);
	}

	/** Keeps a copy of an action as the person's own, and opens it. */
	async copyAction(id: string): Promise<void> {
		const detail = await this.ask("action.get", { id });
		if (!detail) return;
		const { name, icon = "", group = "", kind } = detail.action;
		const copy = { name: t("panel.action.copyName", { name }), icon, group, kind, ribbon: false };
		const { plan, prompt } = detail;
		const fields = [...list(detail.action.fields)];
		const kept = await this.ask("action.put", { id: "", ...copy, plan, prompt, fields });
		if (kept) this.showAction(kept);
	}

	/** Shows an action that is at hand as steps; null begins a new one. */
	showAction(detail: ActionDetail | null): void {
		this.opened = detail;
		this.screen = "action";
	}

	/** Settles a run that a crash left unfinished. */
	async recover(run: string, choice: RecoveryChoice): Promise<void> {
		await this.showReverted(run, undefined, await this.ask("recovery.resolve", { run, choice }));
	}

	private async showReverted(
		run: string,
		path: string | undefined,
		result: Reverted | undefined,
	): Promise<void> {
		this.flush();
		this.state = { ...this.state, progress: null };
		if (!result) return;
		if (result.review) {
			// Nothing was done: the review is open now, and says what is left out.
			this.reverted = null;
			this.conflicts = null;
			this.screen = "chat";
			return;
		}
		this.reverted = result;
		const conflicts = list(result.conflicts);
		this.conflicts = conflicts.length > 0 ? { run, path, conflicts } : null;
		if (result.problem) this.failure = result.problem;
	}

	/** Looks at the selection again and asks the core for its size. */
	async lookAtSelection(): Promise<void> {
		const turn = ++this.estimating;
		const selected = this.compose.look();
		if (!selected) return;
		try {
			const core = await this.connect();
			const { snippet, tokens } = await this.drawing.run(quietly, (signal) =>
				core.request("estimate", { text: selected.text }, { signal }),
			);
			// A later look may have been answered before this one.
			if (turn === this.estimating) this.compose.offer = { path: selected.path, snippet, tokens };
		} catch (error) {
			if (turn === this.estimating) this.failure = asProblem(error);
		}
	}

	/** Asks the core which paths of the message are never sent, because the settings keep them out of sight. */
	async lookForHidden(paths: string[]): Promise<void> {
		const turn = ++this.looking;
		const found = paths.length > 0 ? await this.askQuietly("hidden", { paths }) : undefined;
		if (turn === this.looking) this.compose.hidden = list(found?.paths);
	}

	/** Asks the core what sending the message as it is would take. */
	async estimate(): Promise<void> {
		if (!this.state.loaded || !this.state.ready) return;
		const send = this.compose.message(this.conversations.id);
		const cost = await this.askQuietly("estimate", { text: "", send });
		if (cost) this.compose.cost = cost;
	}
}
