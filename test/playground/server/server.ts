/** The playground's server: one real folder as a vault, for pages on this machine. */
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { WebSocketServer } from "ws";
import type { ChangeEvent } from "../shared/frames";
import { profileNamed } from "../shared/profiles";
import { Faults } from "./faults";
import { answer, type Site } from "./http";
import { SerialQueue } from "./queue";
import { Session, type Shared } from "./session";
import { FolderWatcher } from "./watch";

export interface ServerOptions {
	/** The folder that is served. It is written to. */
	vaultDir: string;
	/** Where `build.mjs` put the page. */
	dist: string;
	/** What the app calls the vault; by default the folder's name. */
	vaultName?: string;
	/** 0 (the default) takes a free port. */
	port?: number;
	/** More host names under which the page may be asked for, besides 127.0.0.1 and localhost. */
	hosts?: string[];
	/** Switches the control endpoint on. */
	controlToken?: string;
}

export interface PlaygroundServer {
	url: string;
	port: number;
	faults: Faults;
	close(): Promise<void>;
}

/** Starts serving on 127.0.0.1. Rejects when the folder or the port cannot be had. */
export async function startServer(options: ServerOptions): Promise<PlaygroundServer> {
	const faults = new Faults();
	const writes = new SerialQueue();
	const sessions = new Set<Session>();
	const watcher = new FolderWatcher(
		options.vaultDir,
		(work) => writes.run(work),
		(path, stat) => {
			const event: ChangeEvent = stat ? { event: "change", path, stat } : { event: "change", path };
			for (const session of sessions) session.send(event);
		},
	);
	watcher.start();

	const token = randomBytes(18).toString("base64url");
	const names = new Set(["127.0.0.1", "localhost", ...(options.hosts ?? [])]);
	const allowsHost = (host: string | undefined) => host !== undefined && names.has(host.replace(/:\d+$/, ""));
	const site: Site = {
		root: options.vaultDir,
		dist: options.dist,
		vaultName: options.vaultName ?? basename(options.vaultDir),
		token,
		controlToken: options.controlToken,
		faults,
		allowsHost,
	};
	const shared: Shared = {
		root: options.vaultDir,
		watcher,
		writes,
		faults,
		broadcast(from, event) {
			for (const session of sessions) if (session !== from) session.send(event);
		},
	};

	const http = createServer((request, response) => void answer(site, request, response));
	const sockets = new WebSocketServer({
		noServer: true,
		maxPayload: 512 * 1024 * 1024,
		perMessageDeflate: false,
	});
	http.on("upgrade", (request, socket, head) => {
		const url = new URL(request.url ?? "/", "http://playground");
		if (
			!allowsHost(request.headers.host) ||
			url.pathname !== "/ws" ||
			url.searchParams.get("token") !== token
		) {
			socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
			return;
		}
		sockets.handleUpgrade(request, socket, head, (webSocket) => {
			const session = new Session(webSocket, shared, profileNamed(url.searchParams.get("profile")));
			sessions.add(session);
			webSocket.on("close", () => sessions.delete(session));
		});
	});

	await new Promise<void>((resolve, reject) => {
		http.once("error", reject);
		http.listen(options.port ?? 0, "127.0.0.1", resolve);
	});
	const { port } = http.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/`,
		port,
		faults,
		async close() {
			watcher.close();
			for (const client of sockets.clients) client.terminate();
			await new Promise<void>((resolve) => {
				http.close(() => resolve());
				http.closeAllConnections();
			});
		},
	};
}
