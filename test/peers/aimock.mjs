// Starts the scripted model server on a free port of the loopback interface, prints its address and runs until its
// standard input closes. The first message of the person chooses the answer.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });

const TEXT = "Grüße 🌍! I have read the note, and here is what it says. 你好";

const usage = { prompt_tokens: 12, completion_tokens: 7, input_tokens: 12, output_tokens: 7 };

mock.on({ userMessage: "SAY" }, { content: TEXT, usage }, { chunkSize: 5 });
mock.on(
	{ userMessage: "THINK" },
	{ content: TEXT, reasoning: "The person wants a greeting." },
	{ chunkSize: 7 },
);
mock.on(
	{ userMessage: "LOOK", hasToolResult: false },
	{
		content: "I look.",
		toolCalls: [
			{ id: "call_1", name: "vault__read", arguments: JSON.stringify({ path: "Grüße 🌍.md" }) },
			{ id: "call_2", name: "vault__list", arguments: "{}" },
		],
	},
	{ chunkSize: 3 },
);
mock.on({ userMessage: "LOOK", hasToolResult: true }, { content: "The note says hello." });
mock.on({ userMessage: "CUT" }, { content: TEXT }, { chunkSize: 5, latency: 30, truncateAfterChunks: 10 });
mock.on({ userMessage: "SLOW" }, { content: TEXT }, { chunkSize: 5, latency: 400 });
mock.on(
	{ userMessage: "REFUSED" },
	{
		error: { message: "Incorrect API key provided", type: "invalid_request_error", code: "invalid_api_key" },
		status: 401,
	},
);

// What the connection test asks.
mock.on({ userMessage: "the one word: ready" }, { content: "ready" });
mock.on(
	{ userMessage: "probe.echo" },
	{
		toolCalls: ["a", "b"].map((text) => ({ name: "probe__echo", arguments: JSON.stringify({ text }) })),
	},
);
mock.on(
	{ userMessage: "Name a colour as JSON" },
	{ content: JSON.stringify({ probe_colour: "ultramarine" }) },
);
mock.on({ userMessage: "Which colour is this square" }, { content: "Red" });

await mock.start();
process.stdout.write(mock.url + "\n");
process.stdin.resume();
process.stdin.on("end", () => mock.stop().then(() => process.exit(0)));
