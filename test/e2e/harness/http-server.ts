/** A server for `requestUrl`: says what it was asked, and never allows another origin. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpServer {
	url: string;
	close(): Promise<void>;
}

export async function startHttpServer(): Promise<HttpServer> {
	const refused = await refusedUrl();
	const server = createServer((request, response) => {
		void readBody(request).then((body) => {
			const path = request.url ?? "/";
			const status = Number(/^\/status\/(\d+)$/.exec(path)?.[1] ?? 200);
			const json = path === "/json" ? { a: [1] } : { method: request.method, headers: request.headers, body };
			const text =
				path === "/refused"
					? refused
					: path === "/text"
						? "not json"
						: path.startsWith("/status/")
							? `status ${status}`
							: JSON.stringify(json);
			response.writeHead(status, { "content-type": "text/plain", "retry-after": "7" }).end(text);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** A port that was free a moment ago, and that nobody listens on. */
async function refusedUrl(): Promise<string> {
	const probe = createServer();
	await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
	const { port } = probe.address() as AddressInfo;
	await new Promise<void>((resolve) => probe.close(() => resolve()));
	return `http://127.0.0.1:${port}/`;
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}
