import type { Batch } from "../../bridge/batch";
import type { Host } from "../../bridge/client";
import { launchWorker, type Life, type Source } from "../../bridge/launch";
import { fail, ProblemError } from "../../bridge/problem";
import { KindRequest, type Problem, type Sandbox, type Sandboxed } from "../../bridge/protocol.gen";

const MAX_MS = 5_000;
const MAX_MB = 128;
/** A sandbox that nobody uses gives its memory back. */
const IDLE_MS = 60_000;

/** A worker with the sandbox in it, and what waits for its answer. */
interface Running {
	life: Life;
	megabytes: number;
	answer: (batch: Batch) => void;
	died: (reason: string) => void;
}

/**
 * Runs scripts in a worker of their own, one after the other: the same core, with
 * a maximum of memory, and an argument that makes it nothing but the sandbox. A
 * script that takes too long, or is cancelled, ends with its worker; the next one
 * gets another. Where there is no worker, no script runs.
 */
export class SandboxHost {
	#source: Source;
	#compiled = 0; // for how many megabytes the source's module is
	#running: Running | undefined;
	#last: Promise<unknown> = Promise.resolve();
	#idle: number | undefined;

	constructor(source: Source) {
		this.#source = source;
	}

	/** The methods of the host. */
	methods(): Pick<Host, "sandbox.run"> {
		return {
			"sandbox.run": (script, { signal, blobs }) => {
				const input = blobs[script.input] ?? new Uint8Array();
				const run = this.#last.then(() => this.#run(script, input, signal));
				this.#last = run.catch(() => undefined);
				return run;
			},
		};
	}

	/** Ends the worker. A script under way fails; a later one starts another. */
	close(): void {
		self.clearTimeout(this.#idle);
		const running = this.#running;
		this.#running = undefined;
		running?.life.stop();
		running?.died("closed");
	}

	/** The input goes to the worker as it is: a list of the whole vault is not copied on the way. */
	async #run(script: Sandbox, input: Uint8Array, signal: AbortSignal): Promise<Sandboxed> {
		if (signal.aborted) throw fail("CANCELLED", "error.cancelled");
		const running = await this.#start(script.maxMb || MAX_MB);
		const ms = script.maxMs || MAX_MS;
		let timer: number | undefined;
		let cancel = () => {};
		try {
			return await new Promise<Sandboxed>((resolve, reject) => {
				running.died = (reason) => reject(fail("SANDBOX_ERROR", "tools.code.died", undefined, reason));
				running.answer = ({ m: [message] }) => {
					if (message?.error) reject(new ProblemError(JSON.parse(message.error) as Problem));
					else resolve(JSON.parse(message?.payload ?? "{}") as Sandboxed);
				};
				const stop = (error: Error) => {
					reject(error);
					this.close();
				};
				cancel = () => stop(fail("CANCELLED", "error.cancelled"));
				signal.addEventListener("abort", cancel);
				timer = self.setTimeout(() => stop(fail("SANDBOX_ERROR", "tools.code.time", { ms: String(ms) })), ms);
				const message = { id: 1, kind: KindRequest, method: "sandbox.run", error: "" };
				const payload = JSON.stringify({ ...script, input: 0 });
				running.life.post({ m: [{ ...message, payload }], b: [input] }, [input.buffer]);
			});
		} finally {
			self.clearTimeout(timer);
			signal.removeEventListener("abort", cancel);
			running.died = () => undefined;
			this.#idle = self.setTimeout(() => this.close(), IDLE_MS);
		}
	}

	async #start(megabytes: number): Promise<Running> {
		self.clearTimeout(this.#idle);
		if (this.#running?.megabytes === megabytes) return this.#running;
		this.close();
		if (this.#compiled !== megabytes) this.#source.module = undefined;
		const running = { megabytes, answer: () => undefined, died: () => undefined } as unknown as Running;
		try {
			running.life = await launchWorker(
				this.#source,
				{
					batch: (batch) => running.answer(batch),
					died: (reason) => {
						if (this.#running === running) this.#running = undefined;
						running.died(reason);
					},
				},
				megabytes,
			);
		} catch (error) {
			throw fail("SANDBOX_ERROR", "tools.code.none", undefined, error);
		}
		this.#compiled = megabytes;
		return (this.#running = running);
	}
}
