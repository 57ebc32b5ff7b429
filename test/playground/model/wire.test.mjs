import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { pieces, words } from "./responses.mjs";
import { MAIN, parseEvents, planRequest, post, serve, streamed } from "./testkit.mjs";

const facts = new URL("../../../../shared/facts/openai-responses-events.json", import.meta.url);

/** Streams that together hold every kind of event that the server can send. */
const everyKind = ["demo", "demo-refusal", "demo-incomplete", "demo-failed", "demo-error-event"];

/** Fields of a response object, by the Open Responses specification. */
const responseFields = (
	"id object created_at completed_at status incomplete_details model previous_response_id instructions output error " +
	"tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs " +
	"temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata " +
	"safety_identifier prompt_cache_key"
).split(" ");

test("every event has exactly the fields that the official SDK knows for it", async (t) => {
	if (!existsSync(facts)) return t.skip("the list of events is not here: ../shared is missing");
	const known = new Map(JSON.parse(readFileSync(facts, "utf8")));
	const server = await serve(t);
	const seen = new Set();
	for (const model of everyKind) {
		for (const { event, type, ...fields } of await streamed(server, planRequest(MAIN, { model }))) {
			const listed = known.get(type);
			assert.ok(listed, `${type} is not an event of the API`);
			assert.deepEqual(
				Object.keys(fields).sort(),
				listed.filter((field) => !field.endsWith("?")).sort(),
				type,
			);
			assert.equal(event, type);
			seen.add(type);
		}
	}
	assert.equal(seen.size, 16, `kinds of events seen: ${[...seen].join(", ")}`);
});

test("an answer with a plan streams its events in the order of the API", async (t) => {
	const events = await streamed(await serve(t), planRequest(MAIN));
	const kinds = events.map((event) => event.type.replace("response.", ""));
	const runs = kinds.filter((kind, index) => kind !== kinds[index - 1]);
	assert.deepEqual(runs, [
		"created",
		"in_progress",
		"output_item.added",
		"content_part.added",
		"output_text.delta",
		"output_text.done",
		"content_part.done",
		"output_item.done",
		"output_item.added",
		"function_call_arguments.delta",
		"function_call_arguments.done",
		"output_item.done",
		"completed",
	]);
	assert.ok(kinds.filter((kind) => kind === "output_text.delta").length > 20, "the text comes word by word");
	assert.ok(
		kinds.filter((kind) => kind === "function_call_arguments.delta").length > 20,
		"the plan comes in pieces",
	);
});

test("sequence numbers count from 0 without a gap, in every kind of stream", async (t) => {
	const server = await serve(t);
	for (const model of everyKind) {
		const events = await streamed(server, planRequest(MAIN, { model }));
		assert.deepEqual(
			events.map((event) => event.sequence_number),
			events.map((_, index) => index),
			model,
		);
	}
});

test("deltas join to the done texts, and the completed response holds the same items", async (t) => {
	const events = await streamed(await serve(t), planRequest(MAIN));
	const joined = (kind) =>
		events.flatMap((event) => (event.type === `response.${kind}.delta` ? [event.delta] : [])).join("");
	const done = (kind) => events.find((event) => event.type === `response.${kind}.done`);
	assert.equal(joined("output_text"), done("output_text").text);
	assert.equal(joined("function_call_arguments"), done("function_call_arguments").arguments);

	const items = events.filter((event) => event.type === "response.output_item.done");
	const added = events.filter((event) => event.type === "response.output_item.added");
	assert.deepEqual(
		added.map((event) => [event.output_index, event.item.id, event.item.status]),
		items.map((event) => [event.output_index, event.item.id, "in_progress"]),
	);
	assert.deepEqual(
		items.map((event) => event.item),
		events.at(-1).response.output,
	);
	assert.equal(items[0].item.content[0].text, done("output_text").text);
	assert.equal(items[1].item.arguments, done("function_call_arguments").arguments);
	for (const event of events.filter((each) => each.item_id)) {
		assert.equal(event.item_id, items[event.output_index].item.id, event.type);
	}
});

test("a response object has every field, and usage at the end only", async (t) => {
	const request = planRequest(MAIN, { temperature: 0.2, max_output_tokens: 900, metadata: { run: "1" } });
	const events = await streamed(await serve(t), request);
	const responses = events.flatMap((event) => (event.response ? [event.response] : []));
	assert.equal(responses.length, 3);
	for (const response of responses) {
		assert.deepEqual(Object.keys(response).sort(), [...responseFields].sort());
		assert.equal(response.id, responses[0].id);
		assert.equal(response.temperature, 0.2);
		assert.equal(response.max_output_tokens, 900);
		assert.deepEqual(response.metadata, { run: "1" });
	}
	const [created, , completed] = responses;
	assert.deepEqual([created.status, created.usage, created.output], ["in_progress", null, []]);
	assert.equal(completed.status, "completed");
	assert.ok(completed.usage.input_tokens > 0 && completed.usage.output_tokens > 0);
	assert.equal(completed.usage.total_tokens, completed.usage.input_tokens + completed.usage.output_tokens);
	assert.deepEqual(completed.tools[0], {
		type: "function",
		name: "submit_plan",
		description: null,
		parameters: { type: "object" },
		strict: false,
	});
});

test("without stream the same answer comes as one JSON object", async (t) => {
	const server = await serve(t, { clock: () => Date.UTC(2026, 10, 20) });
	const answer = await post(server, planRequest(MAIN, { stream: false }));
	assert.match(answer.headers.get("content-type"), /^application\/json/u);
	const whole = await answer.json();
	const last = (await streamed(server, planRequest(MAIN))).at(-1).response;
	const withoutIds = (response) =>
		JSON.stringify(response).replace(/"(resp|msg|fc|call)_[0-9a-f]+"/gu, '"$1"');
	assert.equal(withoutIds(whole), withoutIds(last));
	assert.equal(whole.created_at, Date.UTC(2026, 10, 20) / 1000);
});

test("two answers never share an id", async (t) => {
	const server = await serve(t);
	const ids = (events) => events.at(-1).response.output.flatMap((item) => [item.id, item.call_id ?? item.id]);
	const first = ids(await streamed(server, planRequest(MAIN)));
	const second = ids(await streamed(server, planRequest(MAIN)));
	assert.deepEqual(
		first.filter((id) => second.includes(id)),
		[],
	);
});

test("each event is one write", async (t) => {
	const server = await serve(t);
	const body = JSON.stringify(planRequest(MAIN));
	const raw = await new Promise((resolve, reject) => {
		const socket = connect(server.port, "127.0.0.1");
		const parts = [];
		socket.on("data", (part) => parts.push(part));
		socket.on("end", () => resolve(Buffer.concat(parts)));
		socket.on("error", reject);
		socket.write(
			`POST /v1/responses HTTP/1.1\r\nhost: demo\r\nconnection: close\r\ncontent-type: application/json\r\n` +
				`content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
		);
	});
	const chunks = httpChunks(raw.subarray(raw.indexOf("\r\n\r\n") + 4));
	assert.ok(chunks.length > 40);
	for (const chunk of chunks) {
		assert.equal(parseEvents(chunk).length, 1);
		assert.ok(chunk.endsWith("\n\n"));
	}
});

/** The pieces of a chunked HTTP body: Node makes one of each write. */
function httpChunks(bytes) {
	const chunks = [];
	for (let at = 0; ;) {
		const line = bytes.indexOf("\r\n", at);
		const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16);
		if (size === 0) return chunks;
		chunks.push(bytes.subarray(line + 2, line + 2 + size).toString("utf8"));
		at = line + 2 + size + 2;
	}
}

test("text and arguments split into pieces that join to the same, and never inside a character", () => {
	const samples = [
		"",
		" ",
		"one",
		"  one two\n\nthree ",
		"庭の一年",
		`${"🎃".repeat(500)}x`,
		"a".repeat(5000),
	];
	for (const sample of samples) {
		assert.equal(words(sample).join(""), sample);
		assert.equal(pieces(sample).join(""), sample);
		assert.ok(pieces(sample).every((piece) => piece.isWellFormed()));
	}
	assert.ok(pieces("a".repeat(2_000_000)).length <= 80);
});

test("the list of models names the demo and each fault", async (t) => {
	const server = await serve(t);
	const list = await (await fetch(`${server.baseUrl}/models`)).json();
	assert.equal(list.object, "list");
	const names = list.data.map((model) => model.id);
	assert.equal(names[0], "demo");
	assert.ok(names.includes("demo-cut") && names.includes("demo-429"));
	for (const model of list.data)
		assert.deepEqual(Object.keys(model), ["id", "object", "created", "owned_by"]);
});

test("a request that is wrong is refused in the words of the API", async (t) => {
	const server = await serve(t);
	const cases = [
		["{", {}, 400, "invalid_json"],
		["[]", {}, 400, "invalid_json"],
		[JSON.stringify({ input: "hi" }), {}, 400, "missing_required_parameter"],
		[JSON.stringify({ model: "demo" }), {}, 400, "missing_required_parameter"],
		["{}", { headers: { "content-type": "text/plain" } }, 415, "unsupported_content_type"],
	];
	for (const [body, init, status, code] of cases) {
		const answer = await post(server, body, init);
		assert.equal(answer.status, status, body);
		const { error } = await answer.json();
		assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
		assert.equal(error.code, code);
	}
	assert.equal((await fetch(`${server.url}/v1/nothing`)).status, 404);
});

test("a selection of five megabytes is taken", async (t) => {
	const input = `<selection>${"- a bullet\n".repeat(450_000)}</selection><instruction>${MAIN}</instruction>`;
	const answer = await post(await serve(t), planRequest(MAIN, { input, stream: false }));
	assert.equal(answer.status, 200);
	assert.match(JSON.stringify(await answer.json()), /each of the 450000 bullets/u);
});

test("requests are remembered with their headers and how they ended", async (t) => {
	const server = await serve(t);
	await streamed(server, planRequest(MAIN));
	await (
		await post(server, planRequest(MAIN, { stream: false }), { headers: { authorization: "Bearer k" } })
	).text();
	assert.equal(server.requests.length, 2);
	assert.equal(server.requests[0].body.input[0].role, "user");
	assert.equal(server.requests[1].headers.authorization, "Bearer k");
	assert.deepEqual(
		server.requests.map((request) => request.state),
		["answered", "answered"],
	);
});
