import { requestUrl, type App } from "obsidian";
import type { Answer, Host } from "../client";
import { fail } from "../problem";
import type { HTTPChunk, HTTPRequest, HTTPResponse } from "../protocol.gen";
import { withoutSecrets, withSecrets, type Filled } from "./secrets";

type HTTPMethods = "http.open" | "http.read" | "http.close";

/** The statuses from here on are refusals, whose words are shown to people. */
const REFUSED = 400;

/** An answer under way. */
interface Open {
	host: string;
	abort: AbortController;
	next: () => Promise<Uint8Array | undefined>;
}

/**
 * The network. Which addresses may be reached is decided in the core; nothing
 * is sent here that it did not ask for.
 */
export class HTTPHost {
	#open = new Map<number, Open>();
	#last = 0;

	constructor(private readonly app: App) {}

	/** Ends every answer under way: the core that asked is no more. */
	closeAll(): void {
		for (const handle of [...this.#open.keys()]) this.#close(handle);
	}

	/** The methods of the host. */
	methods(): Pick<Host, HTTPMethods> {
		return {
			"http.open": async (request, { signal }) => {
				const filled = withSecrets(this.app, request.headers);
				const host = new URL(request.url).host;
				return request.buffered
					? this.#buffered(request, filled, host, signal)
					: this.#stream(request, filled, host, signal);
			},
			"http.read": ({ handle }, { signal }) => this.#read(handle, signal),
			"http.close": async ({ handle }) => {
				this.#close(handle);
				return {};
			},
		};
	}

	async #stream(
		{ method, url, body }: HTTPRequest,
		{ headers, used }: Filled,
		host: string,
		signal: AbortSignal,
	): Promise<HTTPResponse> {
		const abort = new AbortController();
		const stop = () => abort.abort();
		signal.addEventListener("abort", stop);
		try {
			const response = await window.fetch(url, {
				method,
				headers,
				body: body === "" ? undefined : body,
				signal: abort.signal,
				credentials: "omit",
				cache: "no-store",
				referrerPolicy: "no-referrer",
				redirect: "manual", // another host was not asked for, and would be given the headers
			});
			if (response.type === "opaqueredirect") throw fail("VALIDATION_ERROR", "error.http.redirect", { host });
			if (response.status >= REFUSED) {
				const words = withoutSecrets(new Uint8Array(await response.arrayBuffer()), used);
				return this.#add(
					{ host, abort, next: once(words) },
					response.status,
					Object.fromEntries(response.headers),
				);
			}
			const reader = response.body?.getReader();
			const next = async () => {
				for (;;) {
					const chunk = await reader?.read();
					if (!chunk || chunk.done) return undefined;
					if (chunk.value.length > 0) return chunk.value;
				}
			};
			return this.#add({ host, abort, next }, response.status, Object.fromEntries(response.headers));
		} catch (error) {
			if (signal.aborted) throw fail("CANCELLED", "error.cancelled");
			if (!(error instanceof TypeError)) throw error;
			throw fail("NETWORK_ERROR", "error.http.unreachable", { host }, error);
		} finally {
			signal.removeEventListener("abort", stop);
		}
	}

	/** By the app's own client: obeys no CORS, gives the whole answer at once, cannot be stopped. */
	async #buffered(
		{ method, url, body }: HTTPRequest,
		{ headers, used }: Filled,
		host: string,
		signal: AbortSignal,
	): Promise<HTTPResponse> {
		const asked = requestUrl({ url, method, headers, body: body === "" ? undefined : body, throw: false });
		const response = await untilAborted(asked, signal).catch((error: unknown) => {
			if (signal.aborted) throw fail("CANCELLED", "error.cancelled");
			throw fail("NETWORK_ERROR", "error.http.unreachable", { host }, error);
		});
		const whole = new Uint8Array(response.arrayBuffer);
		const next = once(response.status >= REFUSED ? withoutSecrets(whole, used) : whole);
		return this.#add({ host, abort: new AbortController(), next }, response.status, response.headers);
	}

	#add(open: Open, status: number, headers: Record<string, string>): HTTPResponse {
		const handle = ++this.#last;
		this.#open.set(handle, open);
		return { handle, status, headers };
	}

	async #read(handle: number, signal: AbortSignal): Promise<Answer<HTTPChunk>> {
		const open = this.#open.get(handle);
		if (!open) throw fail("NETWORK_ERROR", "error.http.closed");
		try {
			const chunk = await untilAborted(open.next(), signal);
			if (chunk) return (blob) => ({ blob: blob(chunk), done: false });
			this.#open.delete(handle);
			return { blob: -1, done: true };
		} catch (error) {
			this.#close(handle);
			if (signal.aborted) throw fail("CANCELLED", "error.cancelled");
			throw fail("NETWORK_ERROR", "error.http.broken", { host: open.host }, error);
		}
	}

	#close(handle: number): void {
		this.#open.get(handle)?.abort.abort();
		this.#open.delete(handle);
	}
}

/** Gives a body that is all there. */
function once(body: Uint8Array): Open["next"] {
	let rest: Uint8Array | undefined = body.length > 0 ? body : undefined;
	return async () => {
		const chunk = rest;
		rest = undefined;
		return chunk;
	};
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(fail("CANCELLED", "error.cancelled"));
		if (signal.aborted) stop();
		signal.addEventListener("abort", stop, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
	});
}
