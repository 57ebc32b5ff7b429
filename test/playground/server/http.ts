/** The plain HTTP side: the page, its assets, files of the vault as resources, and the control endpoint. */
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { profileNamed } from "../shared/profiles";
import type { Faults, FaultSettings } from "./faults";
import { realPath } from "./names";

export interface Site {
	root: string;
	dist: string;
	/** Put into the page; the WebSocket asks for it, so that no other site can connect. */
	token: string;
	/** What the app calls the vault. */
	vaultName: string;
	/** Asked for by the control endpoint; missing: there is no control endpoint. */
	controlToken?: string | undefined;
	faults: Faults;
	allowsHost(host: string | undefined): boolean;
}

const types: Record<string, string> = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".json": "application/json",
	".svg": "image/svg+xml",
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
	".gif": "image/gif",
	".webp": "image/webp",
	".pdf": "application/pdf",
	".mp3": "audio/mpeg",
	".mp4": "video/mp4",
};

/** Answers one request. Never throws. */
export async function answer(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
	try {
		if (!site.allowsHost(request.headers.host)) return refuse(response, 403, "This host name is not served.");
		const url = new URL(request.url ?? "/", "http://playground");
		if (request.method === "POST" && url.pathname === "/control")
			return await control(site, request, response);
		if (request.method !== "GET") return refuse(response, 405, "Only GET is answered here.");
		if (url.pathname === "/") return await page(site, url, response);
		if (url.pathname.startsWith("/assets/")) return await asset(site, url.pathname.slice(8), response);
		if (url.pathname.startsWith("/resource/")) return await resource(site, url, response);
		refuse(response, 404, "There is nothing at this address.");
	} catch (error) {
		refuse(response, 500, error instanceof Error ? error.message : String(error));
	}
}

function refuse(response: ServerResponse, status: number, text: string): void {
	if (response.headersSent) return void response.destroy();
	response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
}

async function page(site: Site, url: URL, response: ServerResponse): Promise<void> {
	profileNamed(url.searchParams.get("profile"));
	const html = await readFile(join(site.dist, "index.html"), "utf8");
	response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
	const name = site.vaultName.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
	response.end(html.replace("PLAYGROUND_TOKEN", site.token).replace("PLAYGROUND_VAULT", () => name));
}

async function asset(site: Site, name: string, response: ServerResponse): Promise<void> {
	if (!/^[\w.-]+$/.test(name) || name.startsWith("."))
		return refuse(response, 404, "There is no such asset.");
	const bytes = await readFile(join(site.dist, name)).catch(() => undefined);
	if (!bytes) return refuse(response, 404, "There is no such asset.");
	response.writeHead(200, {
		"content-type": types[extname(name)] ?? "application/octet-stream",
		"cache-control": "no-cache",
	});
	response.end(bytes);
}

async function resource(site: Site, url: URL, response: ServerResponse): Promise<void> {
	const path = decodeURIComponent(url.pathname.slice("/resource/".length));
	const file = realPath(site.root, profileNamed(url.searchParams.get("profile")), path);
	const stats = await stat(file).catch(() => undefined);
	if (!stats?.isFile()) return refuse(response, 404, "There is no such file in the vault.");
	const type = types[extname(file).toLowerCase()] ?? "application/octet-stream";
	// A note or attachment must not run as a page of this origin, so it is served without scripts.
	response.writeHead(200, {
		"content-type": type,
		"content-length": stats.size,
		"content-security-policy": "sandbox",
		"x-content-type-options": "nosniff",
	});
	createReadStream(file).pipe(response);
}

interface ControlRequest {
	faults?: FaultSettings;
	clear?: boolean;
	resetCounters?: boolean;
	kill?: boolean;
}

/** `POST /control` with `Authorization: Bearer TOKEN`: sets faults, answers with the counters. */
async function control(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
	if (!site.controlToken || request.headers.authorization !== `Bearer ${site.controlToken}`)
		return refuse(response, 403, "The control endpoint needs its token.");
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const order = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as ControlRequest;
	if (order.resetCounters) site.faults.resetCounters();
	if (order.clear) site.faults.clear();
	if (order.faults) site.faults.set(order.faults);
	if (order.kill) site.faults.kill();
	response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(site.faults.counters()));
}
