import { fail } from "../problem";

/**
 * Lets writes of different paths be under way together, and those of one path
 * one after the other, in the order in which they came. What has not begun when
 * its signal ends never begins.
 */
export class PathQueue {
	#tails = new Map<string, Promise<unknown>>();
	#wall: Promise<unknown> = Promise.resolve();
	#free: number;
	#waiting: (() => void)[] = [];

	/** `width` is how many run at once. */
	constructor(width: number) {
		this.#free = width;
	}

	/** Runs `work` after all earlier work on the path. */
	run<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		const before = Promise.all([this.#tails.get(path), this.#wall]);
		return this.#after(path, before, signal, work);
	}

	/** Runs `work` after everything earlier, and everything later after it. */
	alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		const before = Promise.all([...this.#tails.values(), this.#wall]);
		const result = this.#after("", before, signal, work);
		this.#wall = quiet(result);
		return result;
	}

	async #start<T>(before: Promise<unknown>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		await before;
		if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
		else this.#free--;
		try {
			if (signal.aborted) throw fail("CANCELLED", "error.cancelled");
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next) next();
			else this.#free++;
		}
	}

	#after<T>(path: string, before: Promise<unknown>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		const result = this.#start(before, signal, work);
		const tail = quiet(result).then(() => {
			if (this.#tails.get(path) === tail) this.#tails.delete(path);
		});
		this.#tails.set(path, tail);
		return result;
	}
}

function quiet(work: Promise<unknown>): Promise<unknown> {
	return work.catch(() => undefined);
}
