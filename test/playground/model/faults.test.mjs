import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { faults } from "./faults.mjs";
import { MAIN, parseEvents, planOf, planRequest, post, serve, streamed, textIn } from "./testkit.mjs";

const broken = (name, fields = {}) => planRequest(MAIN, { model: `demo-${name}`, ...fields });

/** Reads a stream as far as it comes; `failed` tells whether the connection broke. */
async function readAll(answer) {
	const decoder = new TextDecoder();
	let text = "";
	try {
		for await (const bytes of answer.body) text += decoder.decode(bytes, { stream: true });
		return { text, failed: false };
	} catch (error) {
		assert.ok(error instanceof TypeError || error.name === "AbortError", String(error));
		return { text, failed: true };
	}
}

/** Reads until the text has `count` events, and leaves the stream open. */
async function readEvents(reader, count) {
	const decoder = new TextDecoder();
	let text = "";
	while (text.split("\n\n").length <= count) {
		const { value, done } = await reader.read();
		assert.equal(done, false, "the stream ended");
		text += decoder.decode(value, { stream: true });
	}
	return parseEvents(text.slice(0, text.lastIndexOf("\n\n") + 2));
}

for (const [name, status, code] of [
	["401", 401, "invalid_api_key"],
	["404", 404, "model_not_found"],
	["429", 429, "rate_limit_exceeded"],
	["500", 500, null],
]) {
	test(`${name} answers status ${status} with an error object`, async (t) => {
		const answer = await post(await serve(t), broken(name));
		assert.equal(answer.status, status);
		assert.equal(answer.headers.get("retry-after"), name === "429" ? "2" : null);
		const { error } = await answer.json();
		assert.equal(error.code, code);
		assert.notEqual(error.message, "");
	});
}

for (const [name, param, refused, taken] of [
	["no-tools", "tools", {}, { tools: [], text: { format: { type: "json_schema" } } }],
	["no-schema", "text.format", { tools: [], text: { format: { type: "json_schema" } } }, { tools: [] }],
	["no-stream", "stream", {}, { stream: false }],
	["no-temperature", "temperature", { temperature: 0.2 }, { temperature: null }],
]) {
	test(`${name} refuses what it cannot do and takes the rest`, async (t) => {
		const server = await serve(t);
		const answer = await post(server, broken(name, refused));
		assert.equal(answer.status, 400);
		assert.equal((await answer.json()).error.param, param);
		assert.equal((await post(server, broken(name, taken))).status, 200);
	});
}

test("html answers status 200 with a web page", async (t) => {
	const answer = await post(await serve(t), broken("html"));
	assert.equal(answer.status, 200);
	assert.match(answer.headers.get("content-type"), /^text\/html/u);
	assert.match(await answer.text(), /^<!DOCTYPE html>/u);
});

test("empty-stream is an event stream without an event", async (t) => {
	const answer = await post(await serve(t), broken("empty-stream"));
	assert.match(answer.headers.get("content-type"), /^text\/event-stream/u);
	assert.equal(await answer.text(), "");
});

test("cut breaks the connection in the middle of the plan", async (t) => {
	const server = await serve(t);
	const { text, failed } = await readAll(await post(server, broken("cut")));
	assert.equal(failed, true);
	const events = parseEvents(text);
	assert.equal(events.at(-1).type, "response.function_call_arguments.delta");
	assert.equal(events.filter((event) => event.type === "response.function_call_arguments.delta").length, 1);
	assert.equal(server.requests[0].state, "aborted");
});

test("cut breaks off in the middle of an answer that does not stream", async (t) => {
	const { text, failed } = await readAll(await post(await serve(t), broken("cut", { stream: false })));
	assert.equal(failed, true);
	assert.match(text, /^\{"id":"resp_/u);
	assert.throws(() => JSON.parse(text), SyntaxError);
});

test("silent holds an answer that does not stream until the client leaves", async (t) => {
	const server = await serve(t);
	const leave = new AbortController();
	const answer = await post(server, broken("silent", { stream: false }), { signal: leave.signal });
	const { value } = await answer.body.getReader().read();
	assert.ok(value.length > 0);
	leave.abort();
	await until(() => server.requests[0].state === "aborted");
});

test("slow sends nothing before its time, and then the whole answer", async (t) => {
	const server = await serve(t);
	server.setFault({ name: "slow", afterMs: 120 });
	const before = performance.now();
	const answer = await post(server, planRequest(MAIN));
	assert.ok(performance.now() - before >= 115);
	assert.equal(planOf(parseEvents(await answer.text())).steps.length, 6);
});

for (const name of ["never-ending", "silent"]) {
	test(`${name} goes on until the client leaves, and the server notices`, async (t) => {
		const server = await serve(t);
		const leave = new AbortController();
		const answer = await post(server, broken(name), { signal: leave.signal });
		const events = await readEvents(answer.body.getReader(), 4);
		assert.equal(events[0].type, "response.created");
		assert.equal(server.requests[0].state, "open");
		leave.abort();
		await until(() => server.requests[0].state === "aborted");
	});
}

test("never-ending keeps counting its events", async (t) => {
	const answer = await post(await serve(t), broken("never-ending"));
	const events = await readEvents(answer.body.getReader(), 120);
	assert.deepEqual(
		events.map((event) => event.sequence_number),
		events.map((_, index) => index),
	);
});

test("closing the server ends streams that would never end", async (t) => {
	const server = await serve(t);
	const answer = await post(server, broken("never-ending"));
	const reading = readAll(answer);
	await server.close();
	assert.equal((await reading).failed, true);
});

test("error-event sends a flat error in the middle and ends the stream", async (t) => {
	const events = await streamed(await serve(t), broken("error-event"));
	const { event, ...error } = events.at(-1);
	assert.equal(event, "error");
	assert.deepEqual(Object.keys(error), ["type", "code", "message", "param", "sequence_number"]);
	assert.equal(
		events.some((event) => event.type === "response.completed"),
		false,
	);
});

test("failed ends with the error in the response", async (t) => {
	const last = (await streamed(await serve(t), broken("failed"))).at(-1);
	assert.equal(last.type, "response.failed");
	assert.equal(last.response.status, "failed");
	assert.equal(last.response.error.code, "server_error");
});

test("incomplete cuts the plan off at the output limit", async (t) => {
	const last = (await streamed(await serve(t), broken("incomplete"))).at(-1);
	assert.equal(last.type, "response.incomplete");
	assert.deepEqual(last.response.incomplete_details, { reason: "max_output_tokens" });
	const call = last.response.output.find((item) => item.type === "function_call");
	assert.equal(call.status, "incomplete");
	assert.throws(() => JSON.parse(call.arguments), SyntaxError);
});

test("refusal answers with a refusal and no plan", async (t) => {
	const events = await streamed(await serve(t), broken("refusal"));
	assert.equal(planOf(events), undefined);
	const { content } = events.at(-1).response.output[0];
	assert.deepEqual(content, [{ type: "refusal", refusal: "I'm sorry, but I can't help with that." }]);
});

test("bad-json hands over arguments that are not JSON", async (t) => {
	const events = await streamed(await serve(t), broken("bad-json"));
	assert.equal(events.at(-1).type, "response.completed");
	assert.throws(() => planOf(events), SyntaxError);
});

for (const [name, isWrong] of [
	["unknown-tool", (plan) => plan.steps[0].tool === "vault.makeCoffee"],
	["unknown-field", (plan) => plan.steps[0].priority === "high"],
	[
		"cycle",
		(plan) => plan.steps[0].dependsOn[0] === "replace" && JSON.stringify(plan).includes("$steps.selection"),
	],
	["empty-plan", (plan) => plan.steps.length === 0],
	[
		"10000-steps",
		(plan) => plan.steps.length === 10_000 && new Set(plan.steps.map((step) => step.id)).size === 10_000,
	],
]) {
	test(`${name} hands over a plan that is wrong in this way`, async (t) => {
		assert.ok(isWrong(planOf(await streamed(await serve(t), broken(name)))));
	});
}

for (const [how, sentBack] of [
	["as a function call and its output", asCall],
	["as a message of the person", asMessage],
]) {
	test(`wrong-twice is right at the third time, when the plan is sent back ${how}`, async (t) => {
		const server = await serve(t);
		const request = broken("wrong-twice");
		const plans = [];
		for (let attempt = 0; attempt < 3; attempt++) {
			const plan = planOf(await streamed(server, request));
			plans.push(plan);
			request.input.push(...sentBack(plan, attempt));
		}
		assert.equal(plans[0].steps[0].tool, "vault.makeCoffee");
		assert.equal(plans[1].steps[0].priority, "high");
		assert.deepEqual(plans[2], planOf(await streamed(server, planRequest(MAIN))));
	});
}

function asCall(plan, attempt) {
	const call_id = `call_${attempt}`;
	return [
		{ type: "function_call", call_id, name: "submit_plan", arguments: JSON.stringify(plan) },
		{ type: "function_call_output", call_id, output: "step selection: tool: there is no such tool" },
	];
}

function asMessage(plan) {
	return [
		{ role: "assistant", content: [{ type: "output_text", text: JSON.stringify(plan) }] },
		{
			role: "user",
			content: [{ type: "input_text", text: "Your plan was refused. Please submit it again." }],
		},
	];
}

test("every fault has a test of its own in this file, and says what it does", async () => {
	const { readFile } = await import("node:fs/promises");
	const here = await readFile(new URL(import.meta.url), "utf8");
	for (const [name, fault] of Object.entries(faults)) {
		assert.ok(here.includes(`"${name}"`) || here.includes(`test("${name} `), `${name} has no test`);
		assert.notEqual(fault.says, "");
	}
});

test("a fault set for two requests breaks two, and the third is whole", async (t) => {
	const server = await serve(t);
	server.setFault({ name: "429", times: 2, retryAfter: 7 });
	const first = await post(server, planRequest(MAIN));
	assert.equal(first.headers.get("retry-after"), "7");
	await first.text();
	assert.equal((await post(server, planRequest(MAIN))).status, 429);
	assert.equal((await post(server, planRequest(MAIN))).status, 200);
});

test("a fault set by a control call stays until it is cleared", async (t) => {
	const server = await serve(t);
	const control = (body) =>
		fetch(`${server.url}/control`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
		});
	assert.deepEqual(await (await control({ fault: "500" })).json(), {
		fault: { name: "500" },
		cors: true,
		delayMs: 0,
	});
	assert.equal((await post(server, planRequest(MAIN))).status, 500);
	assert.equal((await post(server, planRequest(MAIN))).status, 500);
	await control({ fault: null });
	assert.equal((await post(server, planRequest(MAIN))).status, 200);
	assert.equal((await control({ fault: "coffee" })).status, 400);
	assert.throws(() => server.setFault("coffee"), /There is no fault "coffee". There are: 401,/u);
});

test("a fault that breaks the plan leaves an answer without a plan whole", async (t) => {
	const events = await streamed(await serve(t), planRequest("hello", { model: "demo-cycle" }));
	assert.equal(events.at(-1).type, "response.completed");
	assert.match(textIn(events), /^I am the demo model/u);
});

test("a delay that is set later holds for the streams that follow", async (t) => {
	const server = await serve(t);
	server.setDelay(3);
	const began = performance.now();
	const events = await streamed(server, planRequest("Which notes mention frost?"));
	assert.ok(performance.now() - began >= events.length * 2, "each event waits");
	server.setDelay(0);
	await streamed(server, planRequest(MAIN));
});

test("a client that leaves in the middle stops the stream", async (t) => {
	const server = await serve(t, { delayMs: 5 });
	const leave = new AbortController();
	const answer = await post(server, planRequest(MAIN), { signal: leave.signal });
	await readEvents(answer.body.getReader(), 3);
	leave.abort();
	await until(() => server.requests[0].state === "aborted");
});

test("a client that does not read and then leaves does not hold the stream", async (t) => {
	const server = await serve(t);
	const body = JSON.stringify(broken("10000-steps"));
	const socket = connect(server.port, "127.0.0.1");
	socket.pause();
	socket.write(
		`POST /v1/responses HTTP/1.1\r\nhost: demo\r\ncontent-type: application/json\r\n` +
			`content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
	);
	await until(() => server.requests.length === 1);
	socket.destroy();
	await until(() => server.requests[0].state === "aborted");
});

/** Waits for a condition, turn by turn of the event loop; the test's own timeout ends it. */
async function until(condition) {
	while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
