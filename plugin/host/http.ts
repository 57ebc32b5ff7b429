import { requestUrl, type App } from "obsidian";
import type { Answer, Host } from "../../bridge/client";
import { fail } from "../../bridge/problem";
import type { HTTPChunk, HTTPRequest, HTTPResponse } from "../../bridge/protocol.gen";
import { Redaction, worthHiding } from "./redact";
import { withSecrets, type Filled } from "./secrets";

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
				const filled = withSecrets(this.app, request);
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
		{ method, url, body, redact }: HTTPRequest,
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
			const reader = response.body?.getReader();
			const next = async () => {
				for (;;) {
					const chunk = await reader?.read();
					if (!chunk || chunk.done) return undefined;
					if (chunk.value.length > 0) return chunk.value;
				}
			};
			const guard = guardOf(response.status, redact, used);
			return this.#add({ host, abort, next }, response.status, Object.fromEntries(response.headers), guard);
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
		{ method, url, body, redact }: HTTPRequest,
		{ headers, used }: Filled,
		host: string,
		signal: AbortSignal,
	): Promise<HTTPResponse> {
		const asked = requestUrl({ url, method, headers, body: body === "" ? undefined : body, throw: false });
		const response = await untilAborted(asked, signal).catch((error: unknown) => {
			if (signal.aborted) throw fail("CANCELLED", "error.cancelled");
			throw fail("NETWORK_ERROR", "error.http.unreachable", { host }, error);
		});
		const open = { host, abort: new AbortController(), next: once(new Uint8Array(response.arrayBuffer)) };
		return this.#add(open, response.status, response.headers, guardOf(response.status, redact, used));
	}

	#add(open: Open, status: number, headers: Record<string, string>, guard?: Redaction): HTTPResponse {
		const handle = ++this.#last;
		this.#open.set(handle, guard ? { ...open, next: guarded(open.next, guard) } : open);
		if (!guard) return { handle, status, headers };
		const clean = Object.entries(headers).map(([name, value]) => [name, guard.text(value)]);
		return { handle, status, headers: Object.fromEntries(clean) as Record<string, string> };
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

/**
 * Takes the secrets that were sent out of an answer, whatever its status: an
 * endpoint may repeat them. A key that is an ordinary word, as for models on this
 * machine, which want none and take any, is taken out of refusals alone, and
 * where the core asks for it.
 */
function guardOf(status: number, redact: boolean, used: string[]): Redaction | undefined {
	const hidden = redact || status >= REFUSED ? used : used.filter(worthHiding);
	return hidden.length > 0 ? new Redaction(hidden) : undefined;
}

/** Gives a body without secrets. */
function guarded(next: Open["next"], guard: Redaction): Open["next"] {
	let ended = false;
	return async () => {
		while (!ended) {
			const chunk = await next();
			ended = !chunk;
			const clean = chunk ? guard.next(chunk) : guard.rest();
			if (clean.length > 0) return clean;
		}
		return undefined;
	};
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
