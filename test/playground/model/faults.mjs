/**
 * What can go wrong with a provider, on demand: by a model name such as `demo-cut`, or by a control call.
 *
 * A fault acts in one of three places: before the stream (`http`: the whole answer is something else), on the
 * answer (`turn`: a plan that is wrong in a known way), or while it streams (`stream`).
 */
import { PLAN_TOOL } from "./request.mjs";

/**
 * @typedef {object} Fault
 * @property {string} says what happens, for the list of models
 * @property {{ status: number, headers?: Record<string, string>, body: string }} [http] answered instead
 * @property {(body: Record<string, any>) => boolean} [refuses] `http` only for the requests that this is true of
 * @property {"slow"} [wait] the first byte comes only after `afterMs`
 * @property {(turn: import("./responses.mjs").Turn, asked: import("./request.mjs").Asked) =>
 *   import("./responses.mjs").Turn} [turn] changes the answer
 * @property {"cut" | "never-ending" | "silent" | "error-event"} [stream] what the stream does instead of ending
 */

/** The body of an error answer, as the API sends it. */
export function errorBody(type, code, message, param = null) {
	return JSON.stringify({ error: { message, type, param, code } });
}

const json = { "content-type": "application/json" };

const html = [
	"<!DOCTYPE html>",
	"<html><head><title>Sign in to the network</title></head>",
	"<body><h1>Welcome</h1><p>Please accept the terms to use this network.</p></body></html>",
].join("\n");

/** A refusal of something that this endpoint cannot do. */
function unsupported(code, param, message) {
	return { status: 400, headers: json, body: errorBody("invalid_request_error", code, message, param) };
}

/** @type {Record<string, Fault>} */
export const faults = {
	401: {
		says: "refuses the key",
		http: {
			status: 401,
			headers: json,
			body: errorBody("invalid_request_error", "invalid_api_key", "Incorrect API key provided: demo."),
		},
	},
	404: {
		says: "does not know the model",
		http: {
			status: 404,
			headers: json,
			body: errorBody(
				"invalid_request_error",
				"model_not_found",
				"The model `demo-404` does not exist.",
				"model",
			),
		},
	},
	429: {
		says: "asks to wait two seconds",
		http: {
			status: 429,
			headers: { ...json, "retry-after": "2" },
			body: errorBody("tokens", "rate_limit_exceeded", "Rate limit reached. Please try again in 2s."),
		},
	},
	500: {
		says: "has an error of its own",
		http: {
			status: 500,
			headers: json,
			body: errorBody("server_error", null, "The server had an error while processing your request."),
		},
	},
	"no-tools": {
		says: "cannot call functions",
		refuses: (body) => body.tools?.length > 0,
		http: unsupported(
			"unsupported_parameter",
			"tools",
			"Unsupported parameter: 'tools' is not supported here.",
		),
	},
	"no-schema": {
		says: "can neither call functions nor follow a JSON schema",
		refuses: (body) => body.tools?.length > 0 || body.text?.format?.type === "json_schema",
		http: unsupported(
			"unsupported_parameter",
			"text.format",
			"Invalid parameter: 'text.format' is not supported here.",
		),
	},
	"no-stream": {
		says: "cannot stream",
		refuses: (body) => body.stream === true,
		http: unsupported(
			"unsupported_value",
			"stream",
			"Unsupported value: 'stream' does not support true here.",
		),
	},
	"no-temperature": {
		says: "takes no temperature",
		refuses: (body) => typeof body.temperature === "number",
		http: unsupported(
			"unsupported_parameter",
			"temperature",
			"Unsupported parameter: 'temperature' is not supported here.",
		),
	},
	html: {
		says: "answers with a web page, as a captive network does",
		http: { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: html },
	},
	"empty-stream": {
		says: "ends the stream before it begins",
		http: { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, body: "" },
	},
	slow: { says: "waits a minute before the first byte", wait: "slow" },
	cut: { says: "drops the connection in the middle of the plan", stream: "cut" },
	"never-ending": { says: "goes on and on", stream: "never-ending" },
	silent: { says: "falls silent in the middle, with the connection open", stream: "silent" },
	"error-event": { says: "sends an error in the middle of the stream", stream: "error-event" },
	failed: {
		says: "ends the answer as failed",
		turn: () => ({
			items: [{ kind: "text", text: "I will " }],
			failure: { code: "server_error", message: "The model failed while answering." },
		}),
	},
	refusal: {
		says: "refuses to help",
		turn: () => ({ items: [{ kind: "refusal", text: "I'm sorry, but I can't help with that." }] }),
	},
	"bad-json": {
		says: "hands over a plan that is not JSON",
		turn: changeArguments((text) => text.replace(/"steps":\[/u, '"steps":[,')),
	},
	incomplete: {
		says: "reaches the output limit in the middle of the plan",
		turn: (turn) => ({
			items: turn.items.map((item) =>
				item.kind === "call"
					? { ...item, arguments: item.arguments.slice(0, item.arguments.length >> 1), cutOff: true }
					: item,
			),
		}),
	},
	"unknown-tool": {
		says: "plans with a tool that does not exist",
		turn: changePlan((plan) => changeStep(plan, { tool: "vault.makeCoffee" })),
	},
	"unknown-field": {
		says: "plans with a field that does not exist",
		turn: changePlan((plan) => changeStep(plan, { priority: "high" })),
	},
	cycle: {
		says: "plans steps that wait for each other",
		turn: changePlan((plan) => changeStep(plan, { dependsOn: [plan.steps.at(-1).id] })),
	},
	"empty-plan": { says: "plans nothing", turn: changePlan((plan) => ({ ...plan, steps: [] })) },
	"10000-steps": { says: "plans ten thousand steps", turn: changePlan(tenThousandSteps) },
	"wrong-twice": {
		says: "gets the plan right at the third time",
		turn: (turn, asked) => {
			const wrong = [faults["unknown-tool"], faults["unknown-field"]][asked.attempts];
			return wrong ? wrong.turn(turn, asked) : turn;
		},
	},
};

/** The fault that a model name asks for: `demo-cut` → `cut`. Other names ask for none. */
export function faultOfModel(model) {
	const name = /^demo-(.+)$/u.exec(model)?.[1];
	return name !== undefined && Object.hasOwn(faults, name) ? name : undefined;
}

/** A turn change that rewrites the arguments of the plan call; an answer without a plan stays as it is. */
function changeArguments(change) {
	return (turn) => ({
		...turn,
		items: turn.items.map((item) =>
			item.kind === "call" && item.name === PLAN_TOOL ? { ...item, arguments: change(item.arguments) } : item,
		),
	});
}

function changePlan(change) {
	return changeArguments((text) => JSON.stringify(change(JSON.parse(text))));
}

/** The plan with its first step changed. A plan of one step waits for itself in a cycle, which is one too. */
function changeStep(plan, fields) {
	return { ...plan, steps: plan.steps.map((step, index) => (index === 0 ? { ...step, ...fields } : step)) };
}

function tenThousandSteps(plan) {
	const steps = Array.from({ length: 10_000 }, (_, index) => ({
		id: `step${index + 1}`,
		tool: "vault.createFile",
		args: { path: `Many/Note ${index + 1}.md`, content: "" },
	}));
	return { ...plan, steps };
}
