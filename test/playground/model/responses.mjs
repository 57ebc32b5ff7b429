/**
 * The OpenAI Responses wire shapes: the response object, and the stream of events that builds it.
 * Source: the event and object definitions of the official SDK and of the Open Responses specification.
 */
import { randomBytes } from "node:crypto";

/**
 * One thing that the model puts out.
 * @typedef {{ kind: "text", text: string }} TextItem
 * @typedef {{ kind: "refusal", text: string }} RefusalItem
 * @typedef {{ kind: "call", name: string, arguments: string, cutOff?: boolean }} CallItem
 * `cutOff`: the arguments end in the middle because the output limit was reached.
 * @typedef {TextItem | RefusalItem | CallItem} OutputItem
 *
 * @typedef {object} Turn what the model answers to one request
 * @property {OutputItem[]} items
 * @property {{ code: string, message: string }} [failure] the response ends as failed with this error
 */

const id = (prefix) => `${prefix}_${randomBytes(24).toString("hex")}`;

/** About four characters a token; good enough for a demo's usage line. */
const tokensOf = (text) => Math.ceil(text.length / 4);

/**
 * The response object as it is when the answer starts: every field that the specification asks for.
 * @param {Record<string, any>} body the request
 * @param {number} now seconds since 1970
 */
export function newResponse(body, now) {
	return {
		id: id("resp"),
		object: "response",
		created_at: now,
		completed_at: null,
		status: "in_progress",
		background: false,
		error: null,
		incomplete_details: null,
		instructions: body.instructions ?? null,
		max_output_tokens: body.max_output_tokens ?? null,
		max_tool_calls: body.max_tool_calls ?? null,
		model: body.model,
		output: [],
		parallel_tool_calls: body.parallel_tool_calls ?? true,
		previous_response_id: body.previous_response_id ?? null,
		prompt_cache_key: body.prompt_cache_key ?? null,
		reasoning: { effort: null, summary: null, ...body.reasoning },
		safety_identifier: body.safety_identifier ?? null,
		service_tier: "default",
		store: body.store ?? true,
		temperature: body.temperature ?? 1,
		top_p: body.top_p ?? 1,
		top_logprobs: body.top_logprobs ?? 0,
		presence_penalty: body.presence_penalty ?? 0,
		frequency_penalty: body.frequency_penalty ?? 0,
		text: { format: { type: "text" }, ...body.text },
		tool_choice: body.tool_choice ?? "auto",
		tools: (body.tools ?? []).map((tool) => ({ description: null, parameters: null, strict: null, ...tool })),
		truncation: body.truncation ?? "disabled",
		usage: null,
		metadata: body.metadata ?? {},
	};
}

/**
 * The events of one answer, in order. The last event carries the finished response object.
 * Each yielded event is a value of its own: later events do not change it.
 *
 * @param {Turn} turn
 * @param {Record<string, any>} body the request
 * @param {() => number} clock milliseconds since 1970
 * @returns {Generator<Record<string, any>, void>}
 */
export function* responseEvents(turn, body, clock) {
	const response = newResponse(body, Math.floor(clock() / 1000));
	let sequence = 0;
	const event = (type, fields) => structuredClone({ type, ...fields, sequence_number: sequence++ });

	yield event("response.created", { response });
	yield event("response.in_progress", { response });
	for (const [index, item] of turn.items.entries()) {
		const done = item.kind === "call" ? doneCall(item) : doneMessage(item);
		yield* item.kind === "call" ? callEvents(event, done, index) : messageEvents(event, done, index);
		response.output.push(done);
	}
	finish(response, turn, body, Math.floor(clock() / 1000));
	yield event(`response.${response.status}`, { response });
}

/**
 * The whole response object at once, for requests without `stream`.
 * @param {Turn} turn
 * @param {Record<string, any>} body
 * @param {() => number} clock
 */
export function wholeResponse(turn, body, clock) {
	return [...responseEvents(turn, body, clock)].at(-1).response;
}

function* messageEvents(event, done, output_index) {
	const part = done.content[0];
	const refusal = part.type === "refusal";
	const field = refusal ? "refusal" : "text";
	const where = { item_id: done.id, output_index, content_index: 0 };
	const extra = refusal ? {} : { logprobs: [] };

	yield event("response.output_item.added", {
		output_index,
		item: { ...done, status: "in_progress", content: [] },
	});
	yield event("response.content_part.added", { ...where, part: { ...part, [field]: "" } });
	for (const delta of words(part[field]))
		yield event(`response.${part.type}.delta`, { ...where, delta, ...extra });
	yield event(`response.${part.type}.done`, { ...where, [field]: part[field], ...extra });
	yield event("response.content_part.done", { ...where, part });
	yield event("response.output_item.done", { output_index, item: done });
}

function* callEvents(event, done, output_index) {
	const where = { item_id: done.id, output_index };

	yield event("response.output_item.added", {
		output_index,
		item: { ...done, status: "in_progress", arguments: "" },
	});
	for (const delta of pieces(done.arguments)) {
		yield event("response.function_call_arguments.delta", { ...where, delta });
	}
	yield event("response.function_call_arguments.done", {
		...where,
		name: done.name,
		arguments: done.arguments,
	});
	yield event("response.output_item.done", { output_index, item: done });
}

/** A finished message item, as it stands in `output`. */
function doneMessage(item) {
	const part =
		item.kind === "refusal"
			? { type: "refusal", refusal: item.text }
			: { type: "output_text", text: item.text, annotations: [], logprobs: [] };
	return { id: id("msg"), type: "message", status: "completed", role: "assistant", content: [part] };
}

/** A finished function call, as it stands in `output`. */
function doneCall(item) {
	return {
		id: id("fc"),
		type: "function_call",
		status: item.cutOff ? "incomplete" : "completed",
		arguments: item.arguments,
		call_id: id("call"),
		name: item.name,
	};
}

/** Sets the end of the response: its status, its reason, and the usage. */
function finish(response, turn, body, now) {
	const cutOff = turn.items.some((item) => item.kind === "call" && item.cutOff);
	response.status = turn.failure ? "failed" : cutOff ? "incomplete" : "completed";
	if (turn.failure) {
		response.error = turn.failure;
		return;
	}
	if (cutOff) response.incomplete_details = { reason: "max_output_tokens" };
	else response.completed_at = now;
	const input = tokensOf(JSON.stringify([body.instructions ?? "", body.input ?? "", body.tools ?? []]));
	const output = turn.items.reduce((sum, item) => sum + tokensOf(item.text ?? item.arguments), 0);
	response.usage = {
		input_tokens: input,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: input + output,
	};
}

/** A text word by word, as it would stream; joined again it is the same text. */
export function words(text) {
	return text.match(/\s*\S+(?:\s+$)?|^\s+$/g) ?? [];
}

/** At most about 80 pieces, so that a large plan does not take minutes; a surrogate pair stays in one piece. */
export function pieces(text) {
	const size = Math.max(16, Math.ceil(text.length / 80));
	const out = [];
	for (let at = 0; at < text.length;) {
		let end = Math.min(text.length, at + size);
		if (/[\uD800-\uDBFF]/.test(text[end - 1]) && end < text.length) end++;
		out.push(text.slice(at, end));
		at = end;
	}
	return out;
}
