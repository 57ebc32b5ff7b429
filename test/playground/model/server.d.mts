/** Types of the scripted model server, for tests in TypeScript; `server.mjs` says what each member does. */

/** One request that came to the API. */
export interface Received {
	method: string;
	path: string;
	headers: Record<string, string | string[] | undefined>;
	/** Parsed JSON; undefined where there was none. */
	body: unknown;
	state: "open" | "answered" | "aborted";
}

/** A fault by name, for a number of requests or until it is cleared. */
export interface FaultSetting {
	name: string;
	times?: number;
	/** For `slow`: milliseconds before the first byte. */
	afterMs?: number;
	/** For `429`: the value of Retry-After. */
	retryAfter?: string | number;
}

/** An answer of the demo model; `scripts.mjs` describes the fields. */
export interface Script {
	name?: string;
	try?: string;
	match: string[];
	defaults?: Record<string, string>;
	needs?: "selection";
	without?: string;
	reply: string;
	plan?: Record<string, unknown>;
}

export interface ModelServer {
	/** The origin, `http://127.0.0.1:PORT`. */
	url: string;
	/** What goes into a provider's base URL: the origin and `/v1`. */
	baseUrl: string;
	port: number;
	requests: Received[];
	setFault(fault: string | FaultSetting | null): void;
	setCors(allowed: boolean): void;
	/** Milliseconds before each event of the streams that follow. */
	setDelay(ms: number): void;
	close(): Promise<void>;
}

export interface ModelServerOptions {
	/** 0 takes a free one. */
	port?: number;
	host?: string;
	/** Milliseconds before each event of a stream. */
	delayMs?: number;
	/** Tried before those of the `scripts` folder. */
	scripts?: Script[];
	/** Milliseconds since 1970. */
	clock?: () => number;
}

/** Starts the server; rejects when the port is taken or a script cannot be used. */
export function startModelServer(options?: ModelServerOptions): Promise<ModelServer>;
