// The calls of a run, gathered by the steps of its plan, as rows of one list.

import type { CallView } from "../../protocol";

/** The calls of one step, in the order in which they were first heard of. */
export interface StepCalls {
	id: string;
	tool: string;
	/** The step's aim in words, where the plan has it. */
	preview: string;
	calls: CallView[];
	done: number;
	failed: number;
	running: number;
	durationMs: number;
	/** Whether the step is a loop: its calls are folded into it. */
	loop: boolean;
	/** Whether nothing more of it is expected. */
	over: boolean;
}

/** One row of the run log. */
export type Row =
	| { kind: "step"; key: string; step: StepCalls; open: boolean }
	| { kind: "call"; key: string; call: CallView; nested: boolean };

/** The steps of a run. A step of a run that goes on is over when nothing of it runs and a later one has begun. */
export function stepsOf(calls: readonly CallView[], over: boolean): StepCalls[] {
	const steps: StepCalls[] = [];
	const byId = new Map<string, StepCalls>();
	for (const call of calls) {
		let step = byId.get(call.stepId);
		if (!step) {
			step = {
				id: call.stepId,
				tool: call.tool,
				preview: call.preview ?? "",
				calls: [],
				done: 0,
				failed: 0,
				running: 0,
				durationMs: 0,
				loop: false,
				over: false,
			};
			byId.set(call.stepId, step);
			steps.push(step);
		}
		count(step, call);
	}
	steps.forEach((step, i) => (step.over = step.running === 0 && (over || i < steps.length - 1)));
	return steps;
}

function count(step: StepCalls, call: CallView): void {
	step.calls.push(call);
	step.durationMs += call.durationMs;
	step.loop ||= call.index >= 0;
	if (call.status === "running") step.running++;
	else if (call.status === "ok") step.done++;
	else step.failed++;
}

/**
 * The rows: a loop is one row and, while it is open, the rows of its calls; any
 * other step is its calls. A loop is open while it goes on and when something
 * in it failed, unless the person has it otherwise (by step id).
 */
export function rowsOf(steps: readonly StepCalls[], toggled: ReadonlyMap<string, boolean>): Row[] {
	const rows: Row[] = [];
	for (const step of steps) {
		const open = toggled.get(step.id) ?? (!step.over || step.failed > 0);
		if (step.loop) rows.push({ kind: "step", key: `step:${step.id}`, step, open });
		if (step.loop && !open) continue;
		for (const call of step.calls) rows.push({ kind: "call", key: call.callId, call, nested: step.loop });
	}
	return rows;
}
