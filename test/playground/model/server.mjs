/**
 * The scripted model server: a real HTTP server on loopback that speaks the OpenAI Responses API, so that the
 * playground and the tests need no key and no network. What it answers is in `scripts/`, what it breaks in
 * `faults.mjs`.
 *
 * As a command: `node test/playground/model/server.mjs [--port=8788] [--delay=15]`.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isAllowedOrigin, preflight } from "./cors.mjs";
import { errorBody, faultOfModel, faults } from "./faults.mjs";
import { readRequest } from "./request.mjs";
import { responseEvents, wholeResponse } from "./responses.mjs";
import { answer, checkScript, loadScripts } from "./scripts.mjs";

/** The largest request body, in bytes. A selection may have five million. */
const MAX_BODY = 32 * 1024 * 1024;
/** The longest wait that a timer can hold, in milliseconds. */
const MAX_WAIT = 2 ** 31 - 1;
/** How many requests are remembered. */
const MAX_REQUESTS = 1000;

/**
 * @typedef {object} Received one request that came to the API
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string | string[] | undefined>} headers
 * @property {any} body parsed JSON; undefined where there was none
 * @property {"open" | "answered" | "aborted"} state `aborted`: the client went away, or the fault cut the stream
 *
 * @typedef {object} FaultSetting
 * @property {string} name a key of `faults`
 * @property {number} [times] how many requests get it; until it is cleared otherwise
 * @property {number} [afterMs] for `slow`: the wait before the first byte, in milliseconds
 * @property {string | number} [retryAfter] for `429`: the value of Retry-After
 *
 * @typedef {object} ModelServer
 * @property {string} url the origin, `http://127.0.0.1:PORT`
 * @property {string} baseUrl what goes into a provider's "base URL": the origin and `/v1`
 * @property {number} port
 * @property {Received[]} requests what came in, oldest first; the newest 1,000
 * @property {(fault: string | FaultSetting | null) => void} setFault breaks the following requests; null mends them
 * @property {(allowed: boolean) => void} setCors false answers without CORS headers, as many servers do
 * @property {(ms: number) => void} setDelay the wait before each event of the streams that follow
 * @property {() => Promise<void>} close ends the server and all its connections
 */

/**
 * Starts the server. Rejects when the port is taken, or when a script cannot be used.
 *
 * @param {object} [options]
 * @param {number} [options.port] 0 takes a free one
 * @param {string} [options.host]
 * @param {number} [options.delayMs] wait before each event of a stream
 * @param {import("./scripts.mjs").Script[]} [options.scripts] tried before those of the `scripts` folder
 * @param {() => number} [options.clock] milliseconds since 1970
 * @returns {Promise<ModelServer>}
 */
export async function startModelServer(options = {}) {
	const { port = 0, host = "127.0.0.1", delayMs = 15, scripts = [], clock = Date.now } = options;
	const ending = new AbortController();
	const state = {
		scripts: [...scripts.map(checkScript), ...loadScripts()],
		delayMs,
		clock,
		/** @type {FaultSetting | null} */ fault: null,
		cors: true,
		/** @type {Received[]} */ requests: [],
		ending: ending.signal,
	};
	const server = createServer((request, response) => {
		handle(state, request, response).catch((error) => giveUp(response, error));
	});
	await new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => resolve(undefined));
	});
	const address = /** @type {import("node:net").AddressInfo} */ (server.address());
	const url = `http://${host}:${address.port}`;
	return {
		url,
		baseUrl: `${url}/v1`,
		port: address.port,
		requests: state.requests,
		setFault: (fault) => setFault(state, fault),
		setCors: (allowed) => {
			state.cors = allowed;
		},
		setDelay: (ms) => {
			state.delayMs = ms;
		},
		close: () => {
			ending.abort();
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

/** A mistake of the server itself is answered as such, and never hidden. */
function giveUp(response, error) {
	console.error(error);
	if (response.headersSent) response.destroy();
	else
		reply(
			response,
			500,
			errorBody("server_error", "demo_model_bug", `The demo model failed: ${error.message}`),
		);
}

function setFault(state, fault) {
	const setting = typeof fault === "string" ? { name: fault } : fault;
	if (setting !== null && !Object.hasOwn(faults, setting.name)) {
		throw new Error(`There is no fault "${setting.name}". There are: ${Object.keys(faults).join(", ")}.`);
	}
	state.fault = setting === null ? null : { ...setting };
}

/** The fault for this request, counted down when it was set for a number of times. */
function takeFault(state, model) {
	const byModel = faultOfModel(model);
	if (byModel !== undefined) return { name: byModel };
	const setting = state.fault;
	if (setting?.times !== undefined && --setting.times <= 0) state.fault = null;
	return setting;
}

async function handle(state, request, response) {
	if (state.cors && isAllowedOrigin(request.headers.origin)) {
		response.setHeader("access-control-allow-origin", request.headers.origin);
		response.setHeader("access-control-expose-headers", "retry-after, x-request-id");
		response.setHeader("vary", "Origin");
	}
	const path = new URL(request.url, "http://127.0.0.1").pathname;
	const route = `${request.method} ${path.replace(/^\/v1(?=\/)/u, "")}`;
	if (request.method === "OPTIONS") return preflight(request, response);
	if (route === "GET /models") return reply(response, 200, modelList(state));
	if (route === "GET /")
		return reply(response, 200, JSON.stringify({ demo: true, scripts: state.scripts.length }));
	if (route === "POST /responses") return respond(state, request, response, path);
	if (route === "POST /control") return control(state, request, response);
	const message = `Unknown request URL: ${request.method} ${path}.`;
	reply(response, 404, errorBody("invalid_request_error", "unknown_url", message));
}

function modelList(state) {
	const created = Math.floor(state.clock() / 1000);
	const names = ["demo", ...Object.keys(faults).map((name) => `demo-${name}`)];
	const data = names.map((id) => ({ id, object: "model", created, owned_by: "embedded-agent-demo" }));
	return JSON.stringify({ object: "list", data });
}

/**
 * `POST /control {"fault": "cut" | {name, times, …} | null, "cors": false, "delayMs": 200}`. It takes JSON only: a foreign web page
 * cannot send that without a preflight, which is refused.
 */
async function control(state, request, response) {
	const { body, problem } = await readJson(request);
	if (problem) return reply(response, problem.status, problem.body);
	try {
		if (body.fault !== undefined) setFault(state, body.fault);
	} catch (error) {
		return reply(response, 400, errorBody("invalid_request_error", "unknown_fault", error.message, "fault"));
	}
	if (typeof body.cors === "boolean") state.cors = body.cors;
	if (Number.isFinite(body.delayMs)) state.delayMs = body.delayMs;
	reply(response, 200, JSON.stringify({ fault: state.fault, cors: state.cors, delayMs: state.delayMs }));
}

/** `POST /v1/responses`. */
async function respond(state, request, response, path) {
	const { body, problem } = await readJson(request);
	const received = { method: "POST", path, headers: request.headers, body, state: "open" };
	remember(state, received);
	response.once("finish", () => {
		received.state = "answered";
	});
	response.once("close", () => {
		if (received.state === "open") received.state = "aborted";
	});
	if (problem) return reply(response, problem.status, problem.body);
	const missing = ["model", "input"].find((name) => body[name] === undefined);
	if (missing) {
		const message = `Missing required parameter: '${missing}'.`;
		return reply(
			response,
			400,
			errorBody("invalid_request_error", "missing_required_parameter", message, missing),
		);
	}
	const setting = takeFault(state, body.model);
	const fault = setting ? faults[setting.name] : undefined;
	if (fault?.http && (fault.refuses?.(body) ?? true)) return replyHttp(response, fault.http, setting);
	const gone = goneSignal(state, response);
	if (fault?.wait && !(await waited(setting.afterMs ?? 60_000, gone))) return;

	const asked = readRequest(body);
	const turn = answer(asked, state.scripts, new Date(state.clock()));
	const changed = fault?.turn?.(turn, asked) ?? turn;
	if (!asked.stream) {
		const whole = JSON.stringify(wholeResponse(changed, body, state.clock));
		return fault?.stream ? breakWhole(response, whole, gone, fault.stream) : reply(response, 200, whole);
	}
	await stream(response, responseEvents(changed, body, state.clock), state.delayMs, gone, fault?.stream);
}

function remember(state, received) {
	state.requests.push(received);
	if (state.requests.length > MAX_REQUESTS) state.requests.shift();
}

/**
 * Sends the events, each in one write, the delay before each. A stream fault begins at the first piece of a plan;
 * in an answer without one, at the first word.
 */
async function stream(response, events, delayMs, gone, fault) {
	response.writeHead(200, {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache",
	});
	response.socket?.setNoDelay(true);
	const list = fault ? [...events] : events;
	const breaking = fault ? breakingPoint(list) : -1;
	let index = 0;
	for (const event of list) {
		if (delayMs > 0 && !(await waited(delayMs, gone))) return;
		if (!(await write(response, event, gone))) return;
		if (index++ === breaking) return breakStream(response, event, delayMs, gone, fault);
	}
	response.end();
}

function breakingPoint(list) {
	const plan = list.findIndex((event) => event.type === "response.function_call_arguments.delta");
	return plan >= 0 ? plan : list.findIndex((event) => event.type.endsWith(".delta"));
}

async function breakStream(response, last, delayMs, gone, fault) {
	if (fault === "cut") return response.destroy();
	if (fault === "error-event") {
		const error = { type: "error", code: "server_error", message: "The server had an error.", param: null };
		await write(response, { ...error, sequence_number: last.sequence_number + 1 }, gone);
		return response.end();
	}
	// Silent and never-ending streams end when the client goes away, or with the server.
	const pause = fault === "silent" ? MAX_WAIT : Math.max(5, delayMs);
	for (let number = last.sequence_number + 1; await waited(pause, gone); number++) {
		await write(response, { ...last, sequence_number: number }, gone);
	}
}

/** The same faults where the answer is one JSON object: half of it comes, or an error instead. */
async function breakWhole(response, whole, gone, fault) {
	if (fault === "error-event") {
		const { status, headers, body } = faults[500].http;
		response.writeHead(status, headers);
		return response.end(body);
	}
	response.writeHead(200, { "content-type": "application/json" });
	await new Promise((resolve) => response.write(whole.slice(0, whole.length >> 1), resolve));
	if (fault === "cut") return response.destroy();
	await waited(MAX_WAIT, gone);
}

/** Writes one event in one piece, and waits until the system has taken it. False when the client is gone. */
function write(response, event, gone) {
	if (gone.aborted) return Promise.resolve(false);
	const text = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
	return new Promise((resolve) => {
		// A write that waits when the connection breaks is never called back, so the signal ends it as well.
		const settle = () => {
			gone.removeEventListener("abort", settle);
			resolve(!gone.aborted);
		};
		gone.addEventListener("abort", settle);
		response.write(text, settle);
	});
}

/** Waits; false when the client or the server went away meanwhile. */
async function waited(ms, gone) {
	try {
		await sleep(ms, undefined, { signal: gone });
		return true;
	} catch (error) {
		if (gone.aborted) return false;
		throw error;
	}
}

/** A signal that fires when the answer's connection or the server is closed. */
function goneSignal(state, response) {
	const closed = new AbortController();
	response.once("close", () => closed.abort());
	return AbortSignal.any([state.ending, closed.signal]);
}

function replyHttp(response, { status, headers, body }, setting) {
	const retry = setting.retryAfter === undefined ? {} : { "retry-after": String(setting.retryAfter) };
	response.writeHead(status, { ...headers, ...retry });
	response.end(body);
}

function reply(response, status, body) {
	response.writeHead(status, { "content-type": "application/json" });
	response.end(body);
}

/** The JSON object of a request, or the answer that says what is wrong with it. */
async function readJson(request) {
	const refused = (status, code, message) => ({
		body: undefined,
		problem: { status, body: errorBody("invalid_request_error", code, message) },
	});
	if (!/^application\/json\b/iu.test(request.headers["content-type"] ?? "")) {
		return refused(415, "unsupported_content_type", "Send the request as application/json.");
	}
	const chunks = [];
	let size = 0;
	for await (const chunk of request) {
		size += chunk.length;
		if (size > MAX_BODY) return refused(413, "request_too_large", `A request may have ${MAX_BODY} bytes.`);
		chunks.push(chunk);
	}
	try {
		const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
		if (body !== null && typeof body === "object" && !Array.isArray(body))
			return { body, problem: undefined };
	} catch (error) {
		return refused(400, "invalid_json", `We could not parse the JSON body of your request: ${error.message}`);
	}
	return refused(400, "invalid_json", "The body must be a JSON object.");
}

async function main() {
	const option = (name, otherwise) =>
		Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise);
	const server = await startModelServer({ port: option("port", 8788), delayMs: option("delay", 15) });
	process.stdout.write(`The demo model listens at ${server.baseUrl}\n`);
	for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
