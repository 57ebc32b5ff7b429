/** A model that calls tools: it answers each request with the next of its turns. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { responseEvents, type OutputItem } from "../playground/model/responses.mjs";

export interface AgentModel {
	/** The origin: what goes into `demoModelUrl`. */
	url: string;
	/** The bodies of what was asked, as text. */
	asked: string[];
	/** Lets the answers go that wait from the nth request on (from 0). */
	release(): void;
	close(): Promise<void>;
}

/** A call of a tool. */
export const calls = (tool: string, args: Record<string, unknown>): OutputItem => ({
	kind: "call",
	name: tool.replace(".", "__"),
	arguments: JSON.stringify(args),
});

/** Plain words. */
export const says = (text: string): OutputItem => ({ kind: "text", text });

/** What it answers to the nth request (from 0), whose body is `asked`. */
export type Turns = OutputItem[][] | ((n: number, asked: string) => OutputItem[]);

/** Starts it; from the request `waitAt` on its answers wait for `release`. */
export async function startAgentModel(turns: Turns, waitAt = Infinity): Promise<AgentModel> {
	const asked: string[] = [];
	let release = () => {};
	const released = new Promise<void>((resolve) => (release = resolve));
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
		response.setHeader("access-control-allow-headers", "authorization, content-type");
		if (request.method !== "POST") return void response.writeHead(204).end();
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString("utf8");
		const turn = typeof turns === "function" ? turns(asked.length, text) : turns[asked.length];
		const items = turn ?? [says("I have nothing more to say.")];
		asked.push(text);
		if (asked.length > waitAt) await released;
		response.writeHead(200, { "content-type": "text/event-stream" });
		const body = JSON.parse(text) as Record<string, unknown>;
		for (const event of responseEvents({ items }, body, Date.now))
			response.write(`event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
		response.end();
	};
	const server = createServer((request, response) => {
		answer(request, response).catch(() => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	return {
		url: `http://127.0.0.1:${port}`,
		asked,
		release,
		close: () => {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
