import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Client, type Host, type Status } from "../client";
import { applyAll } from "../host/apply-all";
import { ProblemError } from "../problem";
import type { Event, Send, Settings } from "../protocol.gen";
import { packedCore, nodeSource, nodeWorkerSource, type NodeWorker } from "./node";

let text: string;
let worker: string;
beforeAll(async () => {
	text = await packedCore("./wasm/internal/jsbridge/testcore", "testcore.wasm");
	worker = await nodeWorkerSource();
}, 240_000);

const clients: Client[] = [];
afterEach(() => {
	for (const client of clients.splice(0)) client.dispose();
	vi.restoreAllMocks();
});

/** A host where only the methods that a test names work. */
function hostOf(methods: Partial<Host>): Host {
	const apply = methods["vault.apply"];
	return { ...methods, ...(apply && { "vault.applyAll": applyAll(apply) }) } as Host;
}

function connect(host: Partial<Host> = {}, source = nodeSource(text, worker), graceMs = 15_000) {
	const statuses: Status[] = [];
	const events: Event[] = [];
	const client = new Client({
		source,
		host: hostOf(host),
		hello: () => ({ platform: { name: "test" } as never, settings: {} as Settings }),
		graceMs,
	});
	client.onStatus((status) => statuses.push(status));
	client.subscribe((event) => events.push(event));
	clients.push(client);
	return { client, source, statuses, events };
}

/** The test core's deed on "send". */
const order = (text: string, more: { path?: string; count?: number } = {}) =>
	({ text, ...more }) as unknown as Send;

const problemOf = (promise: Promise<unknown>) =>
	promise.then(
		() => undefined,
		(error: unknown) => {
			if (!(error instanceof ProblemError)) throw error;
			return error.problem;
		},
	);

const until = (condition: () => boolean) =>
	vi.waitFor(() => expect(condition()).toBe(true), { timeout: 15_000, interval: 5 });

describe("the core in a worker", () => {
	it("is not started, and its text not touched, before the first request", async () => {
		const { client, source } = connect();
		expect([source.asked, source.workers.length, client.status.phase]).toEqual([0, 0, "idle"]);
		const { snippet } = await client.request("estimate", { text: "héllo \u{1f331}" });
		expect(snippet).toBe("héllo \u{1f331}");
		expect([source.asked, source.workers.length, client.status]).toEqual([
			1,
			1,
			{ phase: "ready", inWorker: true, problem: undefined },
		]);
	});

	it("answers requests that were made at once, and starts only once for them", async () => {
		const { client, source } = connect();
		const answers = await Promise.all(
			Array.from({ length: 50 }, (_, i) => client.request("estimate", { text: String(i) })),
		);
		expect(answers.map((a) => a.snippet)).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
		// The requests of one batch begin in their order (hello was the first).
		expect(answers.map((a) => a.tokens)).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
		expect(source.workers).toHaveLength(1);
	});

	it("gives the state as the first event, and then events in their order", async () => {
		const { client, events } = connect();
		await client.request("send", order("events", { count: 500 }));
		expect(events[0]?.type).toBe("state");
		expect(events.slice(1).map((e) => e.delta?.text)).toEqual(
			Array.from({ length: 500 }, (_, i) => String(i)),
		);
	});

	it("refuses a request with the problem of the core", async () => {
		const { client } = connect();
		expect(await problemOf(client.request("runs.list", {}))).toMatchObject({ code: "NOT_FOUND" });
	});

	it("refuses JSON nested beyond 128 levels, and lives", async () => {
		const { client, source } = connect();
		await client.start();
		const nested = JSON.parse("[".repeat(1000) + "]".repeat(1000)) as string;
		expect(await problemOf(client.request("estimate", { text: nested }))).toMatchObject({
			code: "VALIDATION_ERROR",
			key: "error.json.depth",
		});
		expect((await client.request("estimate", { text: "alive" })).snippet).toBe("alive");
		expect(source.workers).toHaveLength(1);
	});
});

describe("calls to the host", () => {
	it("carry bytes both ways, invalid UTF-8 included", async () => {
		const stored: Uint8Array[] = [];
		const bytes = Uint8Array.from([0xff, 0xfe, 0, 1]);
		const { client } = connect({
			"store.append": async ({ blob }, { blobs }) => {
				stored.push(blobs[blob] as Uint8Array);
				return {};
			},
			"vault.read": async () => (blob) => ({ text: "", blob: blob(bytes) }),
		});
		await client.request("send", order("append", { path: "a", count: 3 }));
		expect(stored.map((b) => new TextDecoder().decode(b)).sort()).toEqual(["0\n", "1\n", "2\n"]);
		expect(await client.request("send", order("read", { path: "a" }))).toEqual({ turn: "fffe0001" });
	});

	it("of many goroutines cross in few batches", async () => {
		const { client, source } = connect({ "store.append": async () => ({}) });
		await client.start();
		let batches = 0;
		const w = source.workers[0] as NodeWorker;
		const listen = w.onmessage;
		w.onmessage = (event) => {
			batches++;
			listen?.(event);
		};
		await client.request("send", order("append", { path: "a", count: 128 }));
		expect(batches).toBeLessThan(129 / 4); // 128 calls and a response; a busy machine sends smaller batches
	});

	it("that fail give the core the host's problem", async () => {
		const { client } = connect({
			"vault.apply": async () => {
				throw new ProblemError({ code: "CONFLICT", key: "error.vault.exists", params: { path: "a" } });
			},
		});
		expect(await problemOf(client.request("send", order("create", { path: "f", count: 1 })))).toEqual({
			code: "CONFLICT",
			key: "error.vault.exists",
			params: { path: "a" },
		});
	});

	it("of a method that the host does not have fail, also by the name of an object's own", async () => {
		const { client } = connect();
		expect(await problemOf(client.request("send", order("create", { path: "f", count: 1 })))).toMatchObject({
			code: "INTERNAL_ERROR",
		});
	});
});

describe("cancelling", () => {
	it("ends the request's context", async () => {
		const { client, source } = connect();
		const abort = new AbortController();
		const stopped = problemOf(client.request("stop", { id: "" }, { signal: abort.signal }));
		await client.request("estimate", { text: "up" });
		abort.abort();
		expect(await stopped).toMatchObject({ code: "CANCELLED" });
		expect(source.workers).toHaveLength(1);
	});

	it("reaches the host calls of the request: what has not begun does not begin", async () => {
		const began: string[] = [];
		let release = () => {};
		const gate = new Promise<void>((resolve) => (release = resolve));
		const signals: AbortSignal[] = [];
		const { client } = connect({
			"vault.apply": async ({ path }, { signal }) => {
				signals.push(signal);
				await gate;
				if (!signal.aborted) began.push(path);
				return { path, kind: "file", size: 0, ctime: 0, mtime: 0 };
			},
		});
		const abort = new AbortController();
		const stopped = problemOf(
			client.request("send", order("create", { path: "f", count: 40 }), { signal: abort.signal }),
		);
		await until(() => signals.length === 40);
		abort.abort();
		expect(await stopped).toMatchObject({ code: "CANCELLED" });
		await until(() => signals.every((s) => s.aborted));
		release();
		await client.request("estimate", { text: "later" });
		expect(began).toEqual([]);
	});

	it("a core that loops for ever ends it, and another answers", async () => {
		vi.spyOn(console, "error").mockImplementation(() => {});
		const { client, source } = connect({}, nodeSource(text, worker), 200);
		await client.start();
		const sent = vi.spyOn(source.workers[0] as NodeWorker, "postMessage");
		const abort = new AbortController();
		const stuck = problemOf(client.request("send", order("loop"), { signal: abort.signal }));
		await until(() => sent.mock.calls.some(([batch]) => JSON.stringify(batch).includes("loop")));
		abort.abort();
		expect(await stuck).toMatchObject({ key: "error.core.hung" });
		expect((await client.request("estimate", { text: "again" })).snippet).toBe("again");
		expect([source.workers.length, source.asked]).toEqual([2, 1]); // the compiled module was kept
	});

	it("an urgent request that a core which loops for ever does not answer ends it, once", async () => {
		vi.spyOn(console, "error").mockImplementation(() => {});
		const { client, source, statuses } = connect({}, nodeSource(text, worker), 200);
		await client.start();
		const stuck = problemOf(client.request("send", order("loop")));
		const stopped = problemOf(client.request("stop", { id: "" }, { urgent: true }));
		expect(await stopped).toMatchObject({ key: "error.core.hung" });
		expect(await stuck).toMatchObject({ key: "error.core.hung" });
		expect((await client.request("estimate", { text: "again" })).snippet).toBe("again");
		expect(source.workers).toHaveLength(2);
		expect(statuses.at(-1)).toMatchObject({ phase: "ready", problem: { key: "error.core.hung" } });
	});
});

describe("a core that dies", () => {
	for (const death of ["panic", "exit", "later"]) {
		it(`by ${death} fails every pending request, tells why, and is started anew from the kept module`, async () => {
			vi.spyOn(console, "error").mockImplementation(() => {});
			const { client, source, statuses, events } = connect();
			await client.start();
			const waiting = problemOf(client.request("stop", { id: "" }));
			const asked = problemOf(client.request("send", order(death)));
			expect(await waiting).toMatchObject({ code: "INTERNAL_ERROR", key: "error.core.died" });
			await asked;
			await until(() => statuses.length === 4);
			expect(statuses.map((s) => s.phase)).toEqual(["starting", "ready", "starting", "ready"]);
			if (death !== "exit")
				expect(client.status.problem?.detail).toContain(death === "later" ? "in a timer" : "asked to");
			expect(events.map((e) => e.type)).toEqual(["state", "state"]);
			expect([source.workers.length, source.asked]).toEqual([2, 1]);
			expect((await client.request("estimate", { text: "new" })).tokens).toBe(2); // hello, and this
		});
	}

	it("takes its queue of host calls with it", async () => {
		vi.spyOn(console, "error").mockImplementation(() => {});
		const signals: AbortSignal[] = [];
		const { client, source } = connect({
			"vault.apply": (_, { signal }) => {
				signals.push(signal);
				return new Promise(() => {});
			},
		});
		void problemOf(client.request("send", order("create", { path: "f", count: 63 })));
		await until(() => signals.length === 63);
		await problemOf(client.request("send", order("panic")));
		await until(() => source.workers.length === 2 && client.status.phase === "ready");
		expect(signals.every((s) => s.aborted)).toBe(true);
		expect(signals).toHaveLength(63);
	});

	it("at its start is tried twice, then the request fails with the reason, and the next request tries again", async () => {
		const bad = nodeSource("AAAA", worker);
		const { client, statuses } = connect({}, bad);
		expect(await problemOf(client.request("estimate", { text: "" }))).toMatchObject({
			key: "error.core.start",
		});
		expect(bad.workers).toHaveLength(2);
		expect(statuses.map((s) => s.phase)).toEqual(["starting", "failed"]);
		await problemOf(client.request("estimate", { text: "" }));
		expect(bad.workers).toHaveLength(4);
	});
});

describe("where no worker starts", () => {
	it("the core runs on the main thread, with the same answers, and dies the same way", async () => {
		vi.spyOn(console, "error").mockImplementation(() => {});
		const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
		const before = Object.keys(globalThis).sort();
		const source = nodeSource(text, worker);
		source.spawn = () => {
			throw new Error("no workers here");
		};
		const { client, statuses } = connect({ "store.append": async () => ({}) }, source);
		await client.request("send", order("append", { path: "a", count: 20 }));
		expect(client.status).toMatchObject({ phase: "ready", inWorker: false });
		expect(warned).toHaveBeenCalledOnce();
		expect(Object.keys(globalThis).sort()).toEqual(before); // wasm_exec.js leaks nothing
		await problemOf(client.request("send", order("panic")));
		await until(() => statuses.length === 4);
		expect((await client.request("estimate", { text: "new" })).tokens).toBe(2);
		expect(source.asked).toBe(1);
	});

	it("a worker that says nothing but an error is none", async () => {
		vi.spyOn(console, "warn").mockImplementation(() => {});
		const { client } = connect({}, nodeSource(text, "throw new Error('blocked');"));
		expect((await client.request("estimate", { text: "here" })).snippet).toBe("here");
		expect(client.status.inWorker).toBe(false);
	});
});

describe("dispose", () => {
	it("ends the core and fails what waits and what comes", async () => {
		const { client, source } = connect();
		const waiting = client.start().then(() => client.request("stop", { id: "" }));
		await client.request("estimate", { text: "up" });
		client.dispose();
		expect(await problemOf(waiting)).toMatchObject({ code: "CANCELLED", key: "error.core.closed" });
		expect(await problemOf(client.request("estimate", { text: "" }))).toMatchObject({ code: "CANCELLED" });
		expect(source.workers).toHaveLength(1);
	});

	it("during the start leaves no core behind", async () => {
		const { client, source } = connect();
		const starting = problemOf(client.start());
		client.dispose();
		expect(await starting).toMatchObject({ code: "CANCELLED" });
		expect(source.workers.length).toBeLessThanOrEqual(1);
	});
});
