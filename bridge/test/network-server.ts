// A server whose answers are refusals, redirects, floods and what else a network gives.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";

/** A server at work. */
export interface NetworkServer {
	address: string;
	/** The values of the header x-key, of all requests that were made. */
	keysSeen: string[];
	/** The answers that the page has ended. */
	gone: string[];
	close(this: void): void;
}

/** Starts it on this machine, at a free port. */
export async function startServer(): Promise<NetworkServer> {
	const keysSeen: string[] = [];
	const gone: string[] = [];
	const server = createServer((request, response) => {
		if (request.headers["x-key"] !== undefined) keysSeen.push(String(request.headers["x-key"]));
		response.setHeader("access-control-allow-origin", "*");
		response.setHeader("access-control-allow-headers", "*");
		if (request.url === "/refused" && request.method !== "OPTIONS")
			return response.writeHead(401).end(`the key ${String(request.headers["x-key"])} is wrong`);
		if (request.url === "/refused-endlessly" && request.method !== "OPTIONS")
			return response.writeHead(403).write("no");
		if (request.url === "/echo" && request.method !== "OPTIONS") {
			const key = String(request.headers["x-key"]);
			response.setHeader("access-control-expose-headers", "*");
			response.setHeader("etag", `"${key}"`);
			const coded = Buffer.from(key).toString("base64");
			response.write(`${key} ${key.slice(0, 10)}`); // "Bearer s3c"
			return setTimeout(() => response.end(`${key.slice(10)} ${encodeURIComponent(key)} ${coded}`), 20);
		}
		if (request.url === "/moved" && request.method !== "OPTIONS")
			return response.writeHead(302, { location: "/" }).end();
		if (request.url === "/endless") return response.writeHead(200).write("first");
		if (request.url === "/bomb") {
			response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
			response.on("close", () => gone.push("/bomb"));
			const zeros = Buffer.alloc(1 << 20);
			const endless = new Readable({ read: () => void endless.push(zeros) });
			return void endless.pipe(createGzip()).pipe(response);
		}
		if (request.url === "/cookie") {
			response.setHeader("set-cookie", "who=person; SameSite=None; Secure");
			return response.end(`cookie: ${request.headers.cookie ?? "none"}`);
		}
		if (request.url === "/cut") {
			response.writeHead(200, { "content-length": "100" });
			response.write("half");
			return setTimeout(() => response.destroy(), 20);
		}
		response.end(JSON.stringify({ key: request.headers["x-key"] ?? null, method: request.method }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		keysSeen,
		gone,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
