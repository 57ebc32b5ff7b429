import { describe, expect, it } from "vitest";
import {
	action,
	can,
	event,
	exec,
	question,
	review,
	runState,
	state,
	summary,
	turn,
} from "../../test/dev/fixtures";
import type { Event } from "../protocol";
import {
	callsOf,
	initial,
	reduce,
	reduceAll,
	revertable,
	runningRun,
	runOf,
	turnLog,
	workingTurn,
	type PanelState,
} from "./reducer";

function fold(events: readonly Event[], from: PanelState = initial): PanelState {
	return events.reduce(reduce, from);
}

const text = (t: string, id = "t1") => event("turn.text", { delta: { turn: id, text: t } });

describe("a turn", () => {
	it("collects the reply that streams in, and the final word of the core replaces it", () => {
		let s = fold([event("turn.started", { turn: turn() }), text("I will "), text("make ten notes.")]);
		expect(s.turns).toEqual([turn({ phase: "streaming", reply: "I will make ten notes." })]);
		expect(workingTurn(s)?.id).toBe("t1");
		const ended = turn({ phase: "done", outcome: "plan", reply: "I will make ten notes.", run: "r1" });
		s = reduce(s, event("turn.ended", { turn: ended }));
		expect(s.turns).toEqual([ended]);
		expect(workingTurn(s)).toBeNull();
	});

	it("keeps reasoning apart from the reply", () => {
		const s = fold([
			event("turn.started", { turn: turn() }),
			event("turn.reasoning", { delta: { turn: "t1", text: "Ten bullets." } }),
			text("Yes."),
		]);
		expect(s.turns[0]).toMatchObject({ reply: "Yes.", reasoning: "Ten bullets." });
	});

	it("is not changed by text for a turn that nobody started", () => {
		expect(fold([text("stray", "t9")]).turns).toEqual([]);
	});

	it("stays in the transcript when the next one begins", () => {
		const s = fold([
			event("turn.ended", { turn: turn({ phase: "done", outcome: "answer", reply: "a" }) }),
			event("turn.started", { turn: turn({ id: "t2" }) }),
			text("b", "t2"),
		]);
		expect(s.turns.map((t) => t.reply)).toEqual(["a", "b"]);
	});
});

describe("how far a call is", () => {
	const far = (done: number) => ({
		done,
		total: 100,
		found: 7,
		text: { key: "progress.found", params: { done: String(done), total: "100", n: "7" } },
	});
	const told = (done: number) =>
		event("exec", {
			exec: {
				type: "step.progress",
				runId: "r2",
				timestamp: "",
				level: "info",
				message: "",
				callId: "call-1",
				progress: far(done),
			},
		});

	it("is the newest that was told, and begins no log", () => {
		const before = fold([event("turn.started", { turn: turn({ phase: "simulating" }) }), exec(0, "running")]);
		const s = fold([told(40), told(60)], before);
		expect(s.progress?.far.done).toBe(60);
		expect(s.log).toEqual(before.log);
	});

	it("is forgotten when the call, the turn, the simulation or the run is over", () => {
		const ends = [
			exec(1, "ok"),
			event("turn.ended", { turn: turn({ phase: "done", outcome: "cancelled" }) }),
			event("review.opened", { review: review() }),
			event("review.changed", { review: review() }),
			event("run.state", { run: runState({ state: "finished", outcome: "ok" }) }),
			event("state", { state: state() }),
		];
		for (const end of ends) expect(fold([told(40), end]).progress, end.type).toBeNull();
	});
});

describe("a core that was started anew", () => {
	const anew = event("state", { state: state() });

	it("ends the turn that the one before was at work on, and keeps what it had said", () => {
		const s = fold([event("turn.started", { turn: turn() }), text("I will "), anew]);
		expect(s.turns[0]).toMatchObject({
			phase: "done",
			outcome: "failed",
			reply: "I will ",
			problem: { key: "error.core.lost" },
		});
		expect(workingTurn(s)).toBeNull();
	});

	it("leaves the review that was open to be read, and it cannot be approved", () => {
		const open = review();
		const s = fold([event("review.opened", { review: open }), anew]);
		expect(s.review).toMatchObject({ plan: open.plan, files: open.files, approvable: false });
		expect(s.review?.problem?.key).toBe("error.core.lostReview");
		const undo = fold([event("review.opened", { review: review({ undo: "revert", plan: "" }) }), anew]);
		expect(undo.review?.problem?.key).toBe("error.core.lostUndo");
		expect(reduce(s, event("review.closed", { runId: open.run })).review).toBeNull();
	});
});

describe("a review", () => {
	it("opens, changes with an amendment, and closes by its own run only", () => {
		let s = fold([event("review.opened", { review: review() })]);
		expect(s.review?.approval).toBe("a1");
		s = reduce(s, event("review.changed", { review: review({ approval: "a2", amended: true }) }));
		expect(s.review?.approval).toBe("a2");
		expect(reduce(s, event("review.closed", { runId: "other" })).review).not.toBeNull();
		expect(reduce(s, event("review.closed", { runId: "r1" })).review).toBeNull();
	});

	it("gives way to its run", () => {
		const s = fold([event("review.opened", { review: review() }), event("run.state", { run: runState() })]);
		expect(s.review).toBeNull();
		expect(runningRun(s)?.run).toBe("r1");
	});
});

describe("a run", () => {
	it("keeps one line per call: the end of a call replaces its start", () => {
		const s = fold([
			event("run.state", { run: runState() }),
			exec(0, "running"),
			exec(1, "running"),
			exec(1, "ok"),
			exec(0, "error"),
		]);
		expect(s.log.calls.map((c) => [c.callId, c.status])).toEqual([
			["call-0", "error"],
			["call-1", "ok"],
		]);
	});

	it("starts an empty log when another run begins", () => {
		const s = fold([event("run.state", { run: runState() }), exec(0, "ok"), exec(5, "ok", "r2")]);
		expect(s.log.run).toBe("r2");
		expect(s.log.calls.map((c) => c.callId)).toEqual(["call-5"]);
	});

	it("is remembered by its outcome after the next run began", () => {
		const end = runState({ state: "finished", outcome: "ok", can: { ...can, revert: true } });
		const s = fold([event("run.state", { run: end }), event("run.state", { run: runState({ run: "r2" }) })]);
		expect(s.outcomes["r1"]).toEqual(end);
		expect(s.run?.run).toBe("r2");
	});

	it("is no longer offered for recovery once it has finished", () => {
		const s = fold([
			event("state", { state: state({ recoveries: [summary({ run: "r1" }), summary({ run: "r5" })] }) }),
			event("run.state", { run: runState({ state: "finished", outcome: "ok" }) }),
		]);
		expect(s.recoveries.map((r) => r.run)).toEqual(["r5"]);
	});
});

describe("the calls of an agent's turn", () => {
	const agent = turn({ mode: "agent", tracesUrl: "obsidian://embedded-agent?run=r1" });
	const s = fold([
		event("turn.started", { turn: agent }),
		exec(1, "ok"),
		event("turn.ended", { turn: { ...agent, phase: "done", outcome: "plan", run: "r1" } }),
		event("run.state", { run: runState() }),
		exec(2, "ok"),
		exec(5, "ok", "r2"),
	]);

	it("are kept apart from those of the run of the same id that it became", () => {
		expect(callsOf(s, turnLog(agent)).map((c) => c.callId)).toEqual(["call-1"]);
		expect(callsOf(s, "r1").map((c) => c.callId)).toEqual(["call-2"]);
		expect(callsOf(s, "r2").map((c) => c.callId)).toEqual(["call-5"]);
		expect(callsOf(s, "r9")).toEqual([]);
	});

	it("go on where they were when another log came between", () => {
		const more = fold([exec(3, "ok", "r1")], s);
		expect(callsOf(more, "r1").map((c) => c.callId)).toEqual(["call-2", "call-3"]);
		expect(callsOf(more, "r2").map((c) => c.callId)).toEqual(["call-5"]);
	});

	it("are of few runs only", () => {
		const many = fold(Array.from({ length: 30 }, (_, n) => exec(n, "ok", `run-${n}`)));
		expect(many.logs).toHaveLength(8);
		expect(callsOf(many, "run-29")).toHaveLength(1);
		expect(callsOf(many, "run-2")).toEqual([]);
	});

	it("belong to the run that its link opens", () => {
		expect(runOf(agent)).toBe("r1");
		expect(runOf(turn())).toBe("t1");
	});
});

describe("a conversation that was left", () => {
	it("brings no turn into the present one, but goes on where its turn is shown", () => {
		const left = { ...initial, left: ["c1"] };
		expect(fold([event("turn.started", { turn: turn() })], left).turns).toEqual([]);
		expect(fold([event("turn.started", { turn: turn({ conversation: "c2" }) })], left).turns).toHaveLength(1);
		const shown = { ...left, turns: [turn()] };
		expect(fold([event("turn.ended", { turn: turn({ phase: "done" }) })], shown).turns[0]?.phase).toBe(
			"done",
		);
	});
});

describe("what can be reverted", () => {
	const cases: [string, Partial<PanelState>, string][] = [
		["nothing at first", {}, ""],
		["the last run of the store", { lastRun: summary() }, "r0"],
		["nothing while a run is under way", { lastRun: summary(), run: runState() }, ""],
		[
			"the run that has just finished",
			{ lastRun: summary(), run: runState({ state: "finished", can: { ...can, revert: true } }) },
			"r1",
		],
		["not a run that the core says cannot be", { lastRun: summary({ can }) }, ""],
	];
	it.each(cases)("is %s", (_name, fields, expected) => {
		expect(revertable({ ...initial, ...fields })).toBe(expected);
	});
});

describe("the rest", () => {
	it("reads a whole state whose lists Go sent as null", () => {
		const nulls = { ...state(), actions: null, recoveries: null, questions: null } as unknown as ReturnType<
			typeof state
		>;
		const s = fold([event("state", { state: nulls })]);
		expect([s.actions, s.recoveries, s.questions]).toEqual([[], [], []]);
		expect(s.loaded).toBe(true);
	});

	it("takes an actions.changed without a list as the empty list", () => {
		const s = fold([event("actions.changed", { actions: [action()] }), event("actions.changed")]);
		expect(s.actions).toEqual([]);
	});

	it("shows a question until it is closed", () => {
		const s = fold([event("question.opened", { question: question() })]);
		expect(s.questions).toHaveLength(1);
		expect(reduce(s, event("question.closed", { question: question() })).questions).toEqual([]);
	});

	it("leaves the state alone for an event it does not know", () => {
		expect(fold([event("something.new" as Event["type"])])).toEqual(initial);
	});
});

// A small deterministic generator, so that a failure can be repeated.
function random(seed: number): () => number {
	return () => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return seed / 2 ** 32;
	};
}

function anyEvents(next: () => number, count: number): Event[] {
	const pick = (n: number) => Math.floor(next() * n);
	const makers: (() => Event)[] = [
		() => event(pick(2) ? "turn.started" : "turn.changed", { turn: turn({ id: `t${pick(3)}` }) }),
		() => text(`w${pick(9)} `, `t${pick(3)}`),
		() => event("turn.reasoning", { delta: { turn: `t${pick(3)}`, text: "hm " } }),
		() =>
			event("turn.ended", {
				turn: turn({ id: `t${pick(3)}`, phase: "done", outcome: "answer", reply: "end" }),
			}),
		() => event("review.opened", { review: review({ run: `r${pick(3)}` }) }),
		() => event("review.closed", { runId: `r${pick(3)}` }),
		() =>
			event("run.state", { run: runState({ run: `r${pick(3)}`, state: pick(2) ? "running" : "finished" }) }),
		() => exec(pick(20), pick(2) ? "running" : "ok", `r${pick(3)}`),
		() => event("question.opened", { question: question({ id: `q${pick(3)}` }) }),
		() => event("question.closed", { question: question({ id: `q${pick(3)}` }) }),
		() =>
			event("state", {
				state: state({ turn: turn({ id: `t${pick(3)}` }), run: runState({ run: `r${pick(3)}` }) }),
			}),
	];
	return Array.from({ length: count }, () => makers[pick(makers.length)]!());
}

describe("batches", () => {
	it("give the same state as their events one by one, however they are cut", () => {
		for (let seed = 1; seed <= 200; seed++) {
			const next = random(seed);
			const events = anyEvents(next, 60);
			let batched = initial;
			for (let i = 0; i < events.length;) {
				const size = 1 + Math.floor(next() * 12);
				batched = reduceAll(batched, events.slice(i, i + size));
				i += size;
			}
			expect(batched, `seed ${seed}`).toEqual(fold(events));
		}
	});

	it("never change a state that was handed out", () => {
		const next = random(7);
		let s = initial;
		for (let i = 0; i < 50; i++) {
			const copy = structuredClone(s);
			const before = s;
			s = reduceAll(s, anyEvents(next, 8));
			expect(before).toEqual(copy);
		}
	});

	it("of 10,000 call events cost one copy of the log, not ten thousand", () => {
		const events = Array.from({ length: 5000 }, (_, n) => [exec(n, "running"), exec(n, "ok")]).flat();
		const s = reduceAll(initial, events);
		expect(s.log.calls).toHaveLength(5000);
		expect(s.log.calls.every((c) => c.status === "ok")).toBe(true);
		const more = reduceAll(s, [exec(1, "error")]);
		expect(more.log.calls).not.toBe(s.log.calls);
		expect(reduceAll(s, [text("x")]).log).toBe(s.log);
	});
});
