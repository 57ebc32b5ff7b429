// Feeds recorded answers to the official client libraries and prints what their accumulators make of them.
//
// In: one JSON line per recording, {"kind": "responses" | "chat" | "messages", "file": path}.
// Out: one JSON line per recording, in order: {"file", "ok", "error"?, "stop"?, "blocks"?, "input"?, "output"?}, where a
// block is {"type": "text" | "refusal" | "thinking" | "call" | "other", …}.
// A server on the loopback interface replays the bytes in pieces of odd length; nothing else is contacted.
import Anthropic from "@anthropic-ai/sdk";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import OpenAI from "openai";

const PIECE = 997;

/** Arguments as a value where they are JSON, as text where they are not. */
function parsed(text) {
	try {
		return text.trim() === "" ? {} : JSON.parse(text);
	} catch {
		return text;
	}
}

const accumulators = {
	async chat(baseURL) {
		const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
		const stream = client.chat.completions.stream({
			model: "m",
			messages: [{ role: "user", content: "x" }],
			stream_options: { include_usage: true },
		});
		const final = await stream.finalChatCompletion();
		const choice = final.choices[0];
		const blocks = [];
		if (choice.message.content) blocks.push({ type: "text", text: choice.message.content });
		if (choice.message.refusal) blocks.push({ type: "refusal", text: choice.message.refusal });
		for (const call of choice.message.tool_calls ?? []) {
			blocks.push({
				type: "call",
				id: call.id,
				name: call.function.name,
				arguments: parsed(call.function.arguments),
			});
		}
		return {
			stop: choice.finish_reason,
			blocks,
			input: final.usage?.prompt_tokens,
			output: final.usage?.completion_tokens,
		};
	},

	async responses(baseURL) {
		const client = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
		const final = await client.responses.stream({ model: "m", input: "x" }).finalResponse();
		const blocks = [];
		for (const item of final.output) {
			if (item.type === "message") {
				for (const part of item.content) {
					blocks.push(
						part.type === "refusal"
							? { type: "refusal", text: part.refusal }
							: { type: "text", text: part.text },
					);
				}
			} else if (item.type === "function_call") {
				blocks.push({ type: "call", id: item.call_id, name: item.name, arguments: parsed(item.arguments) });
			} else if (item.type === "reasoning") {
				const parts = [...item.summary, ...(item.content ?? [])];
				blocks.push({ type: "thinking", text: parts.map((part) => part.text).join("\n\n") });
			} else {
				blocks.push({ type: "other", name: item.type });
			}
		}
		return {
			stop: final.status,
			blocks,
			input: final.usage?.input_tokens,
			output: final.usage?.output_tokens,
		};
	},

	async messages(baseURL) {
		// This library adds the version to the path by itself.
		const client = new Anthropic({ apiKey: "none", baseURL: baseURL.replace(/\/v1$/, ""), maxRetries: 0 });
		const stream = client.messages.stream({
			model: "m",
			max_tokens: 16,
			messages: [{ role: "user", content: "x" }],
		});
		const final = await stream.finalMessage();
		const blocks = final.content.map((block) => {
			switch (block.type) {
				case "text":
					return { type: "text", text: block.text };
				case "thinking":
					return { type: "thinking", text: block.thinking };
				case "redacted_thinking":
					return { type: "thinking", text: "" };
				case "tool_use":
					return { type: "call", id: block.id, name: block.name, arguments: block.input };
				default:
					return { type: "other", name: block.type };
			}
		});
		const usage = final.usage;
		const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
		return {
			stop: final.stop_reason,
			blocks,
			input: usage.input_tokens + cached,
			output: usage.output_tokens,
		};
	},
};

// A stream that fails also rejects a promise inside of the library that nobody can get hold of; the failure itself is
// reported where it is awaited.
process.on("unhandledRejection", () => undefined);

let input = "";
for await (const piece of process.stdin) input += piece;
const jobs = input
	.split("\n")
	.filter(Boolean)
	.map((line) => JSON.parse(line));

const server = createServer(async (request, response) => {
	request.resume();
	const body = await readFile(jobs[Number(request.url.split("/")[1])].file);
	response.writeHead(200, { "content-type": "text/event-stream" });
	for (let at = 0; at < body.length; at += PIECE) response.write(body.subarray(at, at + PIECE));
	response.end();
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const { port } = server.address();

for (const [index, job] of jobs.entries()) {
	let result;
	try {
		result = { ok: true, ...(await accumulators[job.kind](`http://127.0.0.1:${port}/${index}/v1`)) };
	} catch (error) {
		result = { ok: false, error: String(error?.message ?? error) };
	}
	process.stdout.write(JSON.stringify({ file: job.file, ...result }) + "\n");
}
server.close();
server.closeAllConnections();
