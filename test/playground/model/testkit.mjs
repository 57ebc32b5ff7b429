/** What the tests of the demo model share: a server for each test, and a client that reads streams. */
import { startModelServer } from "./server.mjs";

/** The sentence of the main story. */
export const MAIN =
	"Create a note for each bullet of the selection in folder Projects/XYZ and replace the selection with links to them";

/** Starts a server without delays that ends with the test. */
export async function serve(t, options = {}) {
	const server = await startModelServer({ delayMs: 0, ...options });
	t.after(() => server.close());
	return server;
}

/** A request body as the core sends it: the words and the context, marked, and the function submit_plan. */
export function planRequest(instruction, fields = {}) {
	const text = [
		"<active_file>Inbox/Ideas for the garden.md</active_file>",
		"<selection>\n- Tomato trellis\n- Insect hotel\n</selection>",
		`<instruction>${instruction}</instruction>`,
	].join("\n");
	return {
		model: "demo",
		stream: true,
		instructions: "You plan.",
		input: [{ role: "user", content: [{ type: "input_text", text }] }],
		tools: [{ type: "function", name: "submit_plan", parameters: { type: "object" }, strict: false }],
		...fields,
	};
}

/** Posts a body to /v1/responses. */
export function post(server, body, init = {}) {
	return fetch(`${server.baseUrl}/responses`, {
		method: "POST",
		headers: { "content-type": "application/json", ...init.headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
		signal: init.signal,
	});
}

/** The events in a text of server-sent events; each must be an event line, a data line, and an empty line. */
export function parseEvents(text) {
	return text
		.split("\n\n")
		.filter((block) => block !== "")
		.map((block) => {
			const lines = /^event: (.+)\ndata: (.+)$/u.exec(block);
			if (!lines) throw new Error(`not one event line and one data line: ${block.slice(0, 200)}`);
			return { event: lines[1], ...JSON.parse(lines[2]) };
		});
}

/** The events of a streamed answer. */
export async function streamed(server, body) {
	return parseEvents(await (await post(server, body)).text());
}

/** The plan in a list of events, parsed; undefined when there is none. */
export function planOf(events) {
	const done = events.find((event) => event.type === "response.function_call_arguments.done");
	return done && JSON.parse(done.arguments);
}

/** The text in a list of events. */
export function textIn(events) {
	return events.flatMap((event) => (event.type === "response.output_text.done" ? [event.text] : [])).join("");
}
