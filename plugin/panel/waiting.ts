// Requests that somebody waits for: all can be ended at once, and each ends by
// itself when its time is over.

/** How long a request may take, in milliseconds, that nobody is shown waiting for. */
export const quietly = 60_000;

/** How long a test of the connection may take, in milliseconds: it asks a model several times. */
export const testing = 180_000;

/** Requests that are under way, to be ended together. */
export class UnderWay {
	private readonly requests = new Set<AbortController>();

	/** A request begins: its signal aborts at end(). */
	begin(): AbortController {
		const abort = new AbortController();
		this.requests.add(abort);
		return abort;
	}

	/** A request is over: end() leaves it alone. */
	over(abort: AbortController): void {
		this.requests.delete(abort);
	}

	/** Ends every request that is under way. */
	end(): void {
		for (const abort of this.requests) abort.abort();
	}
}

export class Waiting {
	private readonly underWay = new UnderWay();

	/**
	 * Makes a request with a signal that aborts at end(), or after so many
	 * milliseconds; then the request fails with TIMEOUT.
	 */
	async run<R>(ms: number, ask: (signal: AbortSignal) => Promise<R>): Promise<R> {
		const abort = this.underWay.begin();
		let late = false;
		const timer = self.setTimeout(() => {
			late = true;
			abort.abort();
		}, ms);
		try {
			return await ask(abort.signal);
		} catch (error) {
			throw late ? { code: "TIMEOUT", key: "error.timeout" } : error;
		} finally {
			self.clearTimeout(timer);
			this.underWay.over(abort);
		}
	}

	/** Ends every request that is under way. */
	end(): void {
		this.underWay.end();
	}
}
