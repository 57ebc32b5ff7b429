// The panel's state, as a pure fold over the core's events. Nothing here
// decides: counts, risk and what may be pressed come from the core; this only
// remembers them in the shape that is drawn.

import type {
	Action,
	CallView,
	Delta,
	Event,
	Message,
	NotRun,
	Question,
	Review,
	RunState,
	RunSummary,
	State,
	StepProgress,
	Turn,
} from "../protocol";

/** The calls of one run, in the order in which they were first heard of. */
export interface CallLog {
	readonly run: string;
	readonly calls: readonly CallView[];
	/** Position in calls by callId. */
	readonly at: ReadonlyMap<string, number>;
}

/** All that the panel draws from. Values are never changed in place. */
export interface PanelState {
	/** False until the core has answered for the first time. */
	readonly loaded: boolean;
	readonly turns: readonly Turn[];
	/** Conversations that the person has left: their turns are not shown. */
	readonly left: readonly string[];
	readonly review: Review | null;
	readonly run: RunState | null;
	/** The calls of the run, or agent's turn, that was heard of last. */
	readonly log: CallLog;
	/** The calls of a few others before it, latest first. */
	readonly logs: readonly CallLog[];
	/** The end of every run heard of since the panel's start, by run id. */
	readonly outcomes: Readonly<Record<string, RunState>>;
	readonly lastRun: RunSummary | null;
	readonly actions: readonly Action[];
	readonly recoveries: readonly RunSummary[];
	readonly questions: readonly Question[];
	/** Plans that were shown and have not run, by run id. */
	readonly notRun: Readonly<Record<string, NotRun>>;
	readonly demo: boolean;
	readonly ready: boolean;
	/** How far the call is that said so last; null when it, or what it belongs to, is over. */
	readonly progress: { readonly call: string; readonly far: StepProgress } | null;
	/** The last thing worth saying aloud to a person who cannot see the panel. */
	readonly announcement: Message | null;
}

const noCalls: CallLog = { run: "", calls: [], at: new Map() };

/** How many logs of earlier runs are remembered. */
const keptLogs = 8;

/** The state before the core has said anything. */
export const initial: PanelState = {
	loaded: false,
	turns: [],
	left: [],
	review: null,
	run: null,
	log: noCalls,
	logs: [],
	outcomes: {},
	lastRun: null,
	actions: [],
	recoveries: [],
	questions: [],
	notRun: {},
	demo: false,
	ready: true,
	progress: null,
	announcement: null,
};

/** The state after one event. */
export function reduce(state: PanelState, event: Event): PanelState {
	return reduceAll(state, [event]);
}

/**
 * The state after a batch of events: the same as reducing them one by one, but
 * the call log and the text that streams in are copied once for the batch, so
 * ten thousand events cost one copy and not ten thousand.
 */
export function reduceAll(state: PanelState, events: readonly Event[]): PanelState {
	const draft = new Draft(state);
	for (const event of events) draft.take(event);
	return draft.done();
}

/** Why something ended that a core which is no more was at work on. */
const restarted = { code: "INTERNAL_ERROR", key: "error.core.lost" } as const;

/**
 * A review whose core is no more: it stays to be read, with the plan as the person
 * left it, and cannot be approved.
 */
function lost(review: Review | null): Review | null {
	const key = review?.undo ? "error.core.lostUndo" : "error.core.lostReview";
	return review && { ...review, approvable: false, problem: { ...restarted, key } };
}

/** Whether a review is one of a plan whose core is no more. */
export const isLost = (review: Review): boolean => review.problem?.key === "error.core.lostReview";

class Draft {
	private next: { -readonly [K in keyof PanelState]: PanelState[K] };
	private log: { run: string; calls: CallView[]; at: Map<string, number> } | null = null;
	private text = new Map<string, { reply: string[]; reasoning: string[] }>();

	constructor(state: PanelState) {
		this.next = { ...state };
	}

	take(event: Event): void {
		switch (event.type) {
			case "state":
				return this.state(event.state);
			case "turn.started":
			case "turn.changed":
			case "turn.ended":
				return this.turn(event.turn);
			case "turn.text":
				return this.delta("reply", event.delta);
			case "turn.reasoning":
				return this.delta("reasoning", event.delta);
			case "review.opened":
				return this.review(event.review, true);
			case "review.changed":
				return this.review(event.review, false);
			case "review.closed":
				if (this.next.review?.run === event.runId) this.next.review = null;
				this.notRun(event.runId ?? "", event.notRun);
				return;
			case "run.state":
				return this.run(event.run);
			case "exec":
				return this.exec(event);
			case "question.opened":
			case "question.closed":
				return this.question(event.question, event.type === "question.opened");
			case "actions.changed":
				// The list is left out of the message when it is empty.
				this.next.actions = event.actions ?? [];
				return;
		}
	}

	done(): PanelState {
		this.settleText();
		if (this.log) this.next.log = this.log;
		return this.next;
	}

	private state(state: State | undefined): void {
		if (!state) return;
		this.next.loaded = true;
		this.next.progress = null;
		if (state.turn) this.upsertTurn(state.turn);
		this.next.review = state.review ?? lost(this.next.review);
		this.endTurn(state.turn);
		this.next.run = state.run ?? null;
		if (state.run?.state === "finished") this.remember(state.run);
		this.next.lastRun = state.lastRun ?? null;
		this.next.actions = list(state.actions);
		this.next.recoveries = list(state.recoveries);
		this.next.questions = list(state.questions);
		this.next.notRun = Object.fromEntries(list(state.notRun).map((plan) => [plan.run, plan]));
		this.next.demo = state.demo;
		this.next.ready = state.ready;
	}

	/** A turn that the core knows nothing of any more ended with the core that it was asked of. */
	private endTurn(known: Turn | undefined): void {
		const working = workingTurn(this.next);
		if (working && working.id !== known?.id) {
			this.settleText(); // what it had said until then stays
			this.text.clear();
			const turn = workingTurn(this.next) ?? working;
			this.upsertTurn({ ...turn, phase: "done", outcome: "failed", problem: restarted });
		}
	}

	private turn(turn: Turn | undefined): void {
		if (!turn) return;
		this.upsertTurn(turn);
		if (turn.phase !== "done") return;
		this.next.progress = null;
		this.next.announcement = { key: `panel.said.${turn.hollow ? "hollow" : (turn.outcome ?? "answer")}` };
	}

	private upsertTurn(turn: Turn): void {
		// What the core says of a turn is whole: text that streamed before it is in it.
		this.text.delete(turn.id);
		const at = this.next.turns.findIndex((t) => t.id === turn.id);
		if (at < 0 && this.next.left.includes(turn.conversation)) return;
		this.next.turns =
			at < 0 ? [...this.next.turns, turn] : this.next.turns.map((t, i) => (i === at ? turn : t));
	}

	private delta(field: "reply" | "reasoning", delta: Delta | undefined): void {
		if (!delta) return;
		let pending = this.text.get(delta.turn);
		if (!pending) this.text.set(delta.turn, (pending = { reply: [], reasoning: [] }));
		pending[field].push(delta.text);
	}

	private settleText(): void {
		if (this.text.size === 0) return;
		this.next.turns = this.next.turns.map((turn) => {
			const pending = this.text.get(turn.id);
			if (!pending) return turn;
			const reply = turn.reply + pending.reply.join("");
			const phase = turn.phase === "asking" && reply !== "" ? "streaming" : turn.phase;
			if (pending.reasoning.length === 0) return { ...turn, phase, reply };
			return { ...turn, phase, reply, reasoning: (turn.reasoning ?? "") + pending.reasoning.join("") };
		});
	}

	private review(review: Review | undefined, opened: boolean): void {
		if (!review) return;
		this.next.review = review;
		this.next.progress = null;
		if (opened) {
			this.next.announcement = review.problem ? { key: "panel.said.failed" } : { key: "panel.said.review" };
		}
	}

	private run(run: RunState | undefined): void {
		if (!run) return;
		const fresh = this.next.run?.run !== run.run;
		this.next.run = run;
		if (this.next.review?.run === run.run) this.next.review = null;
		this.notRun(run.run, undefined);
		if (fresh && this.callLog().run !== run.run) this.startLog(run.run);
		if (run.state === "finished") {
			this.next.progress = null;
			this.remember(run);
			this.next.recoveries = this.next.recoveries.filter((r) => r.run !== run.run);
			this.next.announcement = run.text;
		} else if (fresh) this.next.announcement = { key: "panel.said.running" };
	}

	/** A plan that was shown is kept, or is no more one that has not run. */
	private notRun(run: string, kept: NotRun | undefined): void {
		if (!kept && !(run in this.next.notRun)) return;
		const others = Object.entries(this.next.notRun).filter(([id]) => id !== run);
		this.next.notRun = Object.fromEntries(kept ? [...others, [run, kept]] : others);
	}

	private remember(run: RunState): void {
		this.next.outcomes = { ...this.next.outcomes, [run.run]: run };
	}

	private exec(event: Event): void {
		const exec = event.exec;
		if (!exec) return;
		const call = exec.callId ?? "";
		if (exec.progress) this.next.progress = { call, far: exec.progress };
		else if (this.next.progress?.call === call) this.next.progress = null;
		// How far a simulated call is belongs to no log: only a run has one.
		if (exec.progress && !exec.call) return;
		const agent = workingTurn(this.next);
		const run = agent?.mode === "agent" ? turnLog(agent) : exec.runId;
		// A run that goes on after a pause or a recovery keeps its log.
		if (run !== this.callLog().run) this.startLog(run);
		if (exec.call) this.call(exec.call);
	}

	private call(call: CallView): void {
		const log = this.ownLog();
		const at = log.at.get(call.callId);
		if (at === undefined) {
			log.at.set(call.callId, log.calls.length);
			log.calls.push(call);
		} else log.calls[at] = call;
	}

	private question(question: Question | undefined, opened: boolean): void {
		if (!question) return;
		const others = this.next.questions.filter((q) => q.id !== question.id);
		this.next.questions = opened ? [...others, question] : others;
		if (opened) this.next.announcement = question.text;
	}

	private callLog(): CallLog {
		return this.log ?? this.next.log;
	}

	/** Begins the log of a run, or goes on with the one it has; the present one is put away. */
	private startLog(run: string): void {
		const present = this.callLog();
		const others = this.next.logs.filter((log) => log.run !== run);
		const known = this.next.logs.find((log) => log.run === run);
		this.next.logs = present.calls.length > 0 ? [present, ...others].slice(0, keptLogs) : others;
		this.next.log = known ?? { run, calls: [], at: new Map() };
		this.log = null;
	}

	private ownLog(): { run: string; calls: CallView[]; at: Map<string, number> } {
		const { run, calls, at } = this.next.log;
		return (this.log ??= { run, calls: [...calls], at: new Map(at) });
	}
}

/** A list that Go may have sent as null. */
export function list<T>(items: readonly T[] | null | undefined): readonly T[] {
	return items ?? [];
}

/** The calls of a run or of an agent's turn, as far as they are remembered. */
export function callsOf(state: PanelState, run: string): readonly CallView[] {
	if (run === "") return [];
	return (state.log.run === run ? state.log : state.logs.find((log) => log.run === run))?.calls ?? [];
}

/** The name of the log of an agent's turn. What it staged becomes a run of the same id, with a log of its own. */
export function turnLog(turn: Turn): string {
	return `turn:${turn.id}`;
}

/** The run that a turn's link opens, whether or not it came to one. */
export function runOf(turn: Turn): string {
	return turn.run ?? /[?&]run=([^&]+)/.exec(turn.tracesUrl ?? "")?.[1] ?? turn.id;
}

/** The turn that the core works on, if it does. */
export function workingTurn(state: Pick<PanelState, "turns">): Turn | null {
	const turn = state.turns.at(-1);
	return turn && turn.phase !== "done" ? turn : null;
}

/** Whether a run is under way (running, paused or being cancelled). */
export function runningRun(state: PanelState): RunState | null {
	return state.run && state.run.state !== "finished" ? state.run : null;
}

/** The run that "Revert last run" takes back, or "" when the core allows none. */
export function revertable(state: PanelState): string {
	if (state.run?.state === "finished") return state.run.can.revert ? state.run.run : "";
	if (state.run) return "";
	return state.lastRun?.can.revert ? state.lastRun.run : "";
}
