// An action's plan while a person edits it as steps. The plan stays the JSON
// that it is: what this file does not know is kept as it was. Whether a plan is
// right is the core's word.

import { closeConditions, openConditions, type Condition } from "./conditions";

/** One step as its form shows it. Arguments and pins are JSON as it is written. */
export interface StepDraft {
	id: string;
	title: string;
	tool: string;
	/** "" for the newest. */
	version: string;
	/** The arguments, without the pins of an agent step. */
	input: string;
	/** Where the list of a loop comes from, and the name of its item; "" without a loop. */
	from: string;
	item: string;
	/** What has to hold for the step, and for an item of its loop. */
	when: Condition[];
	loopWhen: Condition[];
	dependsOn: string[];
	pins: Pin[];
	/** The fields that the form does not show, kept. */
	rest: Record<string, unknown>;
	loop: Record<string, unknown>;
}

/** A named result of an agent step (a pinned handle). */
export interface Pin {
	name: string;
	tool: string;
	strategy: string;
	callId: string;
	onMissing: string;
}

/** The tool whose steps have pins, and tools of their own. */
export const agentTool = "agent.run";

/** The tools that an agent step names; undefined where its arguments are no JSON, or name them by a reference. */
export function toolsOf(input: string): readonly string[] | undefined {
	const args = parse(input.trim() === "" ? "{}" : input);
	if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
	const { tools = [] } = args as Record<string, unknown>;
	return Array.isArray(tools) && tools.every((tool) => typeof tool === "string") ? tools : undefined;
}

/** The arguments of an agent step with other tools. */
export function withTools(input: string, tools: readonly string[]): string {
	const { tools: _, ...rest } = object(parse(input));
	return JSON.stringify(tools.length > 0 ? { ...rest, tools } : rest, null, 2);
}

export const strategies = ["latest", "first_success", "by_call_id"];
export const onMissing = ["null", "error", "stale_last_success"];

/** A plan opened. */
export interface PlanDraft {
	goal: string;
	steps: StepDraft[];
	rest: Record<string, unknown>;
}

/** Reads a plan's JSON; what is no plan gives one without steps. */
export function openPlan(json: string): PlanDraft {
	const { goal, steps, ...rest } = object(parse(json));
	return {
		goal: text(goal),
		steps: Array.isArray(steps) ? steps.map((step) => openStep(object(step))) : [],
		rest: { assumptions: [], ...rest },
	};
}

function openStep(step: Record<string, unknown>): StepDraft {
	const { id, tool, version, args, foreach, dependsOn, preview, ...rest } = step;
	const { from, itemName, ...loop } = object(foreach);
	const { pins, ...input } = object(args);
	const agent = tool === agentTool;
	const when = takeConditions(rest);
	const loopWhen = takeConditions(loop);
	return {
		id: text(id),
		title: text(preview),
		tool: text(tool),
		version: text(version),
		input: JSON.stringify(agent ? input : object(args), null, 2),
		from: from === undefined ? "" : typeof from === "string" ? from : JSON.stringify(from),
		item: text(itemName),
		when,
		loopWhen,
		dependsOn: Array.isArray(dependsOn) ? dependsOn.filter((d) => typeof d === "string") : [],
		pins: agent && Array.isArray(pins) ? pins.map((pin) => openPin(object(pin))) : [],
		rest,
		loop,
	};
}

/** Takes the conditions out of the fields of a step or a loop; those that no form can show stay there. */
function takeConditions(fields: Record<string, unknown>): Condition[] {
	const conditions = openConditions(fields["when"]);
	if (conditions !== undefined) delete fields["when"];
	return conditions ?? [];
}

function openPin(pin: Record<string, unknown>): Pin {
	const selector = object(pin["selector"]);
	return {
		name: text(pin["name"]),
		tool: text(selector["tool"]),
		strategy: text(selector["strategy"]) || "latest",
		callId: text(selector["call_id"]),
		onMissing: text(pin["on_missing"]) || "null",
	};
}

/** A step whose arguments are not JSON, by its place. */
export class NotJSON extends Error {
	constructor(readonly step: number) {
		super(`the arguments of step ${step + 1} are not JSON`);
	}
}

/** The plan's JSON. Throws NotJSON for arguments that are none. */
export function closePlan(plan: PlanDraft): string {
	const steps = plan.steps.map((step, index) => {
		const input = parse(step.input.trim() === "" ? "{}" : step.input);
		if (typeof input !== "object" || input === null || Array.isArray(input)) throw new NotJSON(index);
		return closeStep(step, input as Record<string, unknown>);
	});
	return JSON.stringify({ ...plan.rest, goal: plan.goal, steps }, null, 2);
}

function closeStep(step: StepDraft, input: Record<string, unknown>): Record<string, unknown> {
	const args =
		step.tool === agentTool && step.pins.length > 0 ? { ...input, pins: step.pins.map(closePin) } : input;
	return {
		id: step.id,
		tool: step.tool,
		...(step.version ? { version: step.version } : {}),
		args,
		...(step.from
			? {
					foreach: {
						...step.loop,
						...closeConditions(step.loopWhen),
						from: listOf(step.from),
						itemName: step.item || "item",
					},
				}
			: {}),
		...closeConditions(step.when),
		...(step.dependsOn.length > 0 ? { dependsOn: step.dependsOn } : {}),
		...(step.title ? { preview: step.title } : {}),
		...step.rest,
	};
}

function closePin(pin: Pin): Record<string, unknown> {
	const byId = pin.strategy === "by_call_id" && pin.callId ? { call_id: pin.callId } : {};
	return {
		name: pin.name,
		selector: { tool: pin.tool, strategy: pin.strategy, ...byId },
		on_missing: pin.onMissing,
	};
}

/** A list written out is JSON; everything else is a reference, a text. */
function listOf(from: string): unknown {
	const value = from.trim().startsWith("[") ? parse(from) : undefined;
	return Array.isArray(value) ? value : from;
}

/** A new step at the end, with an id that is free. */
export function addStep(plan: PlanDraft, tool: string): PlanDraft {
	const base = tool.slice(tool.indexOf(".") + 1) || "step";
	const taken = new Set(plan.steps.map((s) => s.id));
	let id = base;
	for (let n = 2; taken.has(id); n++) id = `${base}${n}`;
	const step = openStep({ id, tool, args: {} });
	return { ...plan, steps: [...plan.steps, step] };
}

/** The plan without a step; nothing depends on it any more. */
export function removeStep(plan: PlanDraft, index: number): PlanDraft {
	const gone = plan.steps[index]?.id;
	const steps = plan.steps
		.filter((_, i) => i !== index)
		.map((step) => ({ ...step, dependsOn: step.dependsOn.filter((id) => id !== gone) }));
	return { ...plan, steps };
}

/** The plan with a step one place up (-1) or down (1). */
export function moveStep(plan: PlanDraft, index: number, by: -1 | 1): PlanDraft {
	const steps = [...plan.steps];
	const [step] = steps.splice(index, 1);
	if (!step || index + by < 0 || index + by > steps.length) return plan;
	steps.splice(index + by, 0, step);
	return { ...plan, steps };
}

/** The plan with one step changed. */
export function changeStep(plan: PlanDraft, index: number, change: Partial<StepDraft>): PlanDraft {
	return { ...plan, steps: plan.steps.map((step, i) => (i === index ? { ...step, ...change } : step)) };
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json) as unknown;
	} catch {
		return undefined;
	}
}

function object(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as Record<string, unknown>)
		: {};
}

function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}
