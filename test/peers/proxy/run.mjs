// Runs whole tool loops of official clients against a proxy whose backend is scripted (peers_test.go of the proxy package),
// and fails where a client did not get what it must. Usage: node run.mjs BASE_URL
import assert from "node:assert/strict";
import OpenAI from "openai";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { createOpenAI } from "@ai-sdk/openai";
import {
	Agent,
	OpenAIResponsesModel,
	run,
	setDefaultOpenAIClient,
	setTracingDisabled,
	tool as agentTool,
} from "@openai/agents";
import { z } from "zod";

const baseURL = process.argv[2];
const client = new OpenAI({ baseURL, apiKey: "unused", maxRetries: 0 });

const parameters = {
	type: "object",
	properties: { city: { type: "string" } },
	required: ["city"],
	additionalProperties: false,
};
const weatherTool = {
	type: "function",
	name: "get_weather",
	description: "Weather of a city",
	parameters,
	strict: true,
};
const weather = { Oslo: "3 C", Rome: "20 C" };
const answer = (call) => weather[JSON.parse(call.arguments).city];

/** Executes the calls of a response and gives their outputs as input items. */
function outputs(response) {
	return response.output
		.filter((item) => item.type === "function_call")
		.map((call) => ({ type: "function_call_output", call_id: call.call_id, output: answer(call) }));
}

const scenarios = {
	async "openai: responses.create, items echoed"() {
		const input = [{ role: "user", content: "weather: Oslo, Rome" }];
		const first = await client.responses.create({ model: "m", input, tools: [weatherTool] });
		assert.deepEqual(
			first.output.map((item) => item.type),
			["message", "function_call", "function_call"],
		);
		input.push(...first.output, ...outputs(first));
		const second = await client.responses.create({ model: "m", input, tools: [weatherTool] });
		assert.equal(second.output_text, "It is 3 C and 20 C.");
		assert.equal(second.status, "completed");
	},

	async "openai: responses.create, previous_response_id over three turns"() {
		let response = await client.responses.create({
			model: "m",
			input: "steps: Oslo, Rome",
			tools: [weatherTool],
		});
		const ids = [];
		for (let turn = 0; turn < 2; turn++) {
			ids.push(...response.output.filter((i) => i.type === "function_call").map((i) => i.call_id));
			response = await client.responses.create({
				model: "m",
				input: outputs(response),
				previous_response_id: response.id,
				tools: [weatherTool],
			});
		}
		assert.deepEqual(ids, ["fc_001", "fc_002"]);
		assert.equal(response.output_text, "It is 3 C and 20 C.");
	},

	async "openai: responses.stream"() {
		const input = [{ role: "user", content: "weather: Oslo" }];
		const stream = client.responses.stream({ model: "m", input, tools: [weatherTool] });
		let text = "";
		let args = "";
		let last = -1;
		for await (const event of stream) {
			assert.equal(event.sequence_number, last + 1);
			last = event.sequence_number;
			if (event.type === "response.output_text.delta") text += event.delta;
			if (event.type === "response.function_call_arguments.delta") args += event.delta;
		}
		const final = await stream.finalResponse();
		assert.equal(text, "Let me look. ");
		assert.deepEqual(JSON.parse(args), { city: "Oslo" });
		input.push(...final.output, ...outputs(final));
		const second = client.responses.stream({ model: "m", input, tools: [weatherTool] });
		assert.equal((await second.finalResponse()).output_text, "It is 3 C.");
	},

	async "openai: a strict failure is a failed response"() {
		const response = await client.responses.create({
			model: "m",
			input: "broken call",
			tools: [weatherTool],
		});
		assert.equal(response.status, "failed");
		assert.equal(response.error.code, "invalid_tool_call");
		const stream = client.responses.stream({ model: "m", input: "broken call", tools: [weatherTool] });
		const types = [];
		for await (const event of stream) types.push(event.type);
		assert.equal(types.at(-1), "response.failed");
	},

	async "openai: errors of requests are thrown with their message"() {
		await assert.rejects(
			client.responses.create({ model: "m", input: "x", tools: [{ type: "web_search" }] }),
			(error) => error.status === 400 && /web_search/.test(error.message),
		);
	},

	async "openai: a stream that is left stops the backend"() {
		const stream = await client.responses.create({ model: "m", input: "endless", stream: true });
		for await (const event of stream) {
			if (event.type === "response.output_text.delta") break;
		}
		stream.controller.abort();
		const next = await client.responses.create({ model: "m", input: "talk" });
		assert.equal(next.output_text, "Just talking. Ünï 🦊");
	},

	async "openai: concurrent streams do not mix"() {
		const all = await Promise.all(
			Array.from({ length: 20 }, (_, i) =>
				client.responses.stream({ model: "m", input: `echo ${i}` }).finalResponse(),
			),
		);
		all.forEach((response, i) => assert.equal(response.output_text, `echo ${i}`));
	},

	...aiScenarios(),

	async "@openai/agents: run"() {
		const result = await run(agent(), "weather: Oslo, Rome");
		assert.equal(result.finalOutput, "It is 3 C and 20 C.");
	},

	async "@openai/agents: run, several steps"() {
		const result = await run(agent(), "steps: Oslo, Rome");
		assert.equal(result.finalOutput, "It is 3 C and 20 C.");
	},

	async "@openai/agents: streamed run"() {
		const result = await run(agent(), "weather: Oslo", { stream: true });
		let text = "";
		for await (const piece of result.toTextStream()) text += piece;
		await result.completed;
		assert.equal(text, "Let me look. It is 3 C.");
		assert.equal(result.finalOutput, "It is 3 C.");
	},
};

function agent() {
	setTracingDisabled(true);
	setDefaultOpenAIClient(client);
	return new Agent({
		name: "Forecaster",
		instructions: "Use the tool.",
		model: new OpenAIResponsesModel(client, "m"),
		tools: [
			agentTool({
				name: "get_weather",
				description: "Weather of a city",
				parameters: z.object({ city: z.string() }),
				execute: ({ city }) => weather[city],
			}),
		],
	});
}

/** The same loops in the AI SDK: with what the server stored, and without. */
function aiScenarios() {
	const openai = createOpenAI({ baseURL, apiKey: "unused" });
	const tools = {
		get_weather: tool({
			description: "Weather of a city",
			inputSchema: jsonSchema(parameters),
			execute: ({ city }) => weather[city],
		}),
	};
	const scenarios = {};
	for (const store of [true, false]) {
		const options = (prompt) => ({
			model: openai.responses("m"),
			prompt,
			tools,
			stopWhen: isStepCount(5),
			maxRetries: 0,
			providerOptions: { openai: { store } },
		});
		scenarios[`ai: generateText, store ${store}`] = async () => {
			const result = await generateText(options("steps: Oslo, Rome"));
			assert.equal(result.text, "It is 3 C and 20 C.");
			assert.equal(result.steps.length, 3);
		};
		scenarios[`ai: streamText, store ${store}`] = async () => {
			const result = streamText(options("weather: Oslo, Rome"));
			let text = "";
			for await (const piece of result.textStream) text += piece;
			assert.equal(text, "Let me look. It is 3 C and 20 C.");
			assert.equal((await result.steps).length, 2);
		};
	}
	return scenarios;
}

let failed = 0;
for (const [name, scenario] of Object.entries(scenarios)) {
	try {
		await scenario();
		console.log(`ok   ${name}`);
	} catch (error) {
		failed++;
		console.log(`FAIL ${name}\n${error.stack ?? error}`);
	}
}
process.exit(failed ? 1 : 0);
