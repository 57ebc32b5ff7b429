// The shell's side of the boundary: requests to the core, events from it, its
// calls to the host, and what to do when it dies.
import { Outbox, type Batch } from "./batch";
import { launch, type Life, type Source } from "./launch";
import { handOver } from "./outstanding";
import { fail, ProblemError, toProblem } from "./problem";
import {
	Contract,
	KindCancel,
	KindEvent,
	KindRequest,
	KindResponse,
	type Envelope,
	type Event,
	type Hello,
	type HostMethods,
	type Problem,
	type ServerMethods,
	type Welcome,
} from "./protocol.gen";

/** A method of the core, what it takes and what it answers. */
export type ServerMethod = keyof ServerMethods;
export type Params<M extends ServerMethod> = ServerMethods[M]["params"];
export type Result<M extends ServerMethod> = ServerMethods[M]["result"];

/** A method of the host, as the core calls it. */
export type HostMethod = keyof HostMethods;

/** Given to a host method beside its parameters. */
export interface HostCall {
	/** Ends when the core cancels the call, or is no more: what has not begun must not begin. */
	signal: AbortSignal;
	/** The bytes of the batch, by index. */
	blobs: Uint8Array[];
}

/** A result; one with bytes is made at the moment when it is posted, and gives them to `blob`. */
export type Answer<R> = R | ((blob: (bytes: Uint8Array) => number) => R);

/** The host: every method that the core may call. */
export type Host = {
	[M in HostMethod]: (
		params: HostMethods[M]["params"],
		call: HostCall,
	) => Promise<Answer<HostMethods[M]["result"]>>;
};

/** How the core is. `problem` says why it is down, or why it was started anew. */
export interface Status {
	phase: "idle" | "starting" | "ready" | "failed";
	/** False where the core shares the main thread. */
	inWorker: boolean;
	problem?: Problem;
}

/** How a request is made. */
export interface RequestOptions {
	/** Cancels the request. */
	signal?: AbortSignal;
	/** The core answers this at once, or it hangs: the request to stop. */
	urgent?: boolean;
}

/** The parts of a client. */
export interface ClientOptions {
	source: Source;
	host: Host;
	/** The core's first message: asked for at each start. */
	hello: () => Omit<Hello, "contract">;
	/** Called when a core has ended: what it had open at the host is closed. */
	ended?: () => void;
	/** How long a cancelled request may go on before the core is taken for dead. */
	graceMs?: number;
}

interface Pending {
	method: string;
	resolve: (payload: unknown) => void;
	reject: (error: Error) => void;
}

/** The connection to one life of the core. */
interface Connection {
	life: Life;
	outbox: Outbox;
	pending: Map<number, Pending>;
	hostCalls: Map<number, AbortController>;
	/** Its writes that the host has begun. */
	writes: Set<Promise<unknown>>;
	welcome?: Welcome;
}

const GRACE_MS = 4_000;

/** The methods of the host that change something, and so are waited for also when the core that asked is no more. */
const WRITES = /^(vault\.apply|store\.(append|write|remove)|commands\.run)/;

/** The client of the core, which starts with the first request. */
export class Client {
	#options: ClientOptions;
	#connection: Promise<Connection> | undefined;
	#live: Connection | undefined;
	#lastID = 0;
	#events = new Set<(event: Event) => void>();
	#statuses = new Set<(status: Status) => void>();
	#status: Status = { phase: "idle", inWorker: false };
	#disposed = false;

	constructor(options: ClientOptions) {
		this.#options = options;
	}

	/** How the core is now. */
	get status(): Status {
		return this.#status;
	}

	/**
	 * Calls `listener` with every event, in order; the result ends that. After
	 * each start of the core the first event is "state".
	 */
	subscribe(listener: (event: Event) => void): () => void {
		this.#events.add(listener);
		return () => this.#events.delete(listener);
	}

	/** Calls `listener` whenever the status changes; the result ends that. */
	onStatus(listener: (status: Status) => void): () => void {
		this.#statuses.add(listener);
		return () => this.#statuses.delete(listener);
	}

	/** Starts the core, if it is not up, and gives what it said. */
	async start(): Promise<Welcome> {
		return (await this.#connect()).welcome as Welcome;
	}

	/**
	 * Asks the core. Rejects with a ProblemError. Aborting the signal cancels the
	 * request; a core that does not answer that in time is ended and started anew.
	 * So is one that does not answer an urgent request in that time.
	 */
	async request<M extends ServerMethod>(
		method: M,
		params: Params<M>,
		options: RequestOptions = {},
	): Promise<Result<M>> {
		const connection = await this.#connect();
		return this.#ask(connection, method, params, options);
	}

	/** Ends the core. Pending requests fail, later ones too. */
	dispose(): void {
		this.#disposed = true;
		if (this.#live) this.#bury(this.#live, fail("CANCELLED", "error.core.closed").problem);
		this.#live = this.#connection = undefined;
		this.#set({ phase: "idle", inWorker: false });
		this.#events.clear();
		this.#statuses.clear();
	}

	#set(status: Status): void {
		this.#status = status;
		for (const listener of this.#statuses) listener(status);
	}

	#connect(): Promise<Connection> {
		if (this.#disposed) return Promise.reject(fail("CANCELLED", "error.core.closed"));
		return (this.#connection ??= this.#start());
	}

	/** Starts a core, a second time when the first does not come up. */
	async #start(problem?: Problem): Promise<Connection> {
		this.#set({ phase: "starting", inWorker: false, problem });
		try {
			return await this.#open(problem).catch((error: unknown) => {
				if (this.#disposed) throw error;
				return this.#open(toProblem(error));
			});
		} catch (error) {
			this.#connection = undefined;
			if (!this.#disposed) this.#set({ phase: "failed", inWorker: false, problem: toProblem(error) });
			throw error;
		}
	}

	async #open(problem?: Problem): Promise<Connection> {
		const connection: Partial<Connection> = { pending: new Map(), hostCalls: new Map(), writes: new Set() };
		const whole = connection as Connection;
		// As in the Lockdown Mode of iOS.
		if (typeof WebAssembly === "undefined") throw fail("PRECONDITION_FAILED", "error.core.noWasm");
		try {
			connection.life = await launch(this.#options.source, {
				batch: (batch) => this.#receive(whole, batch),
				died: (reason) => this.#died(whole, reason),
			});
		} catch (error) {
			throw fail("INTERNAL_ERROR", "error.core.start", undefined, error);
		}
		connection.outbox = new Outbox((batch, transfer) => whole.life.post(batch, transfer));
		if (this.#disposed) {
			whole.life.stop();
			throw fail("CANCELLED", "error.core.closed");
		}
		this.#live = whole;
		const welcome = await this.#hello(whole);
		whole.welcome = welcome;
		this.#set({ phase: "ready", inWorker: whole.life.inWorker, problem });
		this.#tell({ type: "state", at: new Date().toISOString(), state: welcome.state });
		return whole;
	}

	async #hello(connection: Connection): Promise<Welcome> {
		try {
			const welcome = await this.#ask(connection, "hello", { contract: Contract, ...this.#options.hello() });
			if (welcome.contract !== Contract) throw fail("INTERNAL_ERROR", "error.core.contract");
			return welcome;
		} catch (error) {
			if (connection === this.#live) this.#bury(connection, toProblem(error));
			throw error;
		}
	}

	#ask<M extends ServerMethod>(
		connection: Connection,
		method: M,
		params: Params<M>,
		{ signal, urgent }: RequestOptions = {},
	): Promise<Result<M>> {
		return new Promise((resolve, reject) => {
			if (connection !== this.#live) return reject(fail("INTERNAL_ERROR", "error.core.died"));
			if (signal?.aborted) return reject(fail("CANCELLED", "error.cancelled"));
			const payload = JSON.stringify(params);
			const id = ++this.#lastID;
			let grace: number | undefined;
			const expect = () => {
				const dead = () => this.#died(connection, "the core did not answer a cancel", "error.core.hung");
				grace ??= self.setTimeout(dead, this.#options.graceMs ?? GRACE_MS);
			};
			const abort = () => {
				connection.outbox.send({ id, kind: KindCancel, method, payload: "", error: "" });
				expect();
			};
			const settled = () => {
				connection.pending.delete(id);
				signal?.removeEventListener("abort", abort);
				if (grace !== undefined) self.clearTimeout(grace);
			};
			connection.pending.set(id, {
				method,
				resolve: (payload) => (settled(), resolve(payload as Result<M>)),
				reject: (error) => (settled(), reject(error)),
			});
			signal?.addEventListener("abort", abort);
			connection.outbox.send({ id, kind: KindRequest, method, payload, error: "" });
			if (urgent) expect();
		});
	}

	#receive(connection: Connection, batch: Batch): void {
		for (const message of batch.m) {
			if (connection !== this.#live) return; // it died, or was ended, within this batch
			switch (message.kind) {
				case KindResponse:
					this.#settle(connection, message);
					break;
				case KindEvent:
					for (const event of eventsOf(message)) this.#tell(event);
					break;
				case KindRequest:
					void this.#serve(connection, message, batch.b);
					break;
				case KindCancel:
					connection.hostCalls.get(message.id)?.abort();
			}
		}
	}

	#settle(connection: Connection, { id, payload, error }: Envelope): void {
		const pending = connection.pending.get(id);
		if (error) pending?.reject(new ProblemError(JSON.parse(error) as Problem));
		else pending?.resolve(payload ? JSON.parse(payload) : {});
	}

	#tell(event: Event): void {
		for (const listener of this.#events) {
			try {
				listener(event);
			} catch (error) {
				console.error("Embedded Agent: a listener failed.", error);
			}
		}
	}

	/** Answers one call of the core to the host. */
	async #serve(connection: Connection, message: Envelope, blobs: Uint8Array[]): Promise<void> {
		const { id, method, payload } = message;
		const abort = new AbortController();
		connection.hostCalls.set(id, abort);
		const reply: Envelope = { id, kind: KindResponse, method, payload: "", error: "" };
		try {
			if (!Object.hasOwn(this.#options.host, method))
				throw fail("INTERNAL_ERROR", "error.internal", undefined, method);
			const handler = this.#options.host[method as HostMethod] as Handler;
			const work = handler(JSON.parse(payload), { signal: abort.signal, blobs });
			if (WRITES.test(method)) {
				const over = () => connection.writes.delete(work);
				connection.writes.add(work);
				work.then(over, over);
			}
			const result = await work;
			const answer = typeof result === "function" ? (result as Bytes)(connection.outbox.blob) : result;
			reply.payload = JSON.stringify(answer);
		} catch (error) {
			reply.error = JSON.stringify(toProblem(error));
		}
		connection.hostCalls.delete(id);
		connection.outbox.send(reply);
	}

	/** The core of this connection is no more: fail what waits, and start another. */
	#died(connection: Connection, reason: string, key = "error.core.died"): void {
		if (connection !== this.#live || this.#disposed) return;
		const problem = fail("INTERNAL_ERROR", key, undefined, reason).problem;
		console.error("Embedded Agent: the core died.", reason);
		const wasUp = connection.welcome !== undefined;
		this.#bury(connection, problem);
		if (!wasUp) return; // #start sees hello fail
		this.#connection = this.#start(problem);
		this.#connection.catch(() => undefined); // the status says it; the next request tries again
	}

	/** Ends a connection for good: its host calls that have not begun never begin. */
	#bury(connection: Connection, problem: Problem): void {
		this.#live = undefined;
		connection.life.stop();
		connection.outbox.close();
		for (const abort of connection.hostCalls.values()) abort.abort();
		connection.hostCalls.clear();
		handOver(connection.writes);
		this.#options.ended?.();
		for (const pending of [...connection.pending.values()]) pending.reject(new ProblemError(problem));
	}
}

/** The events of a message: one, or a list of those that were told together. */
function eventsOf({ payload }: Envelope): Event[] {
	const told = JSON.parse(payload) as Event | Event[];
	return Array.isArray(told) ? told : [told];
}

type Handler = (params: unknown, call: HostCall) => Promise<Answer<unknown>>;
type Bytes = (blob: (bytes: Uint8Array) => number) => unknown;
