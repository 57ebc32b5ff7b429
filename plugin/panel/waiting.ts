// Requests that somebody waits for: all can be ended at once, and each ends by
// itself when its time is over.

/** How long a request may take, in milliseconds, that nobody is shown waiting for. */
export const quietly = 60_000;

/** How long a test of the connection may take, in milliseconds: it asks a model several times. */
export const testing = 180_000;

export class Waiting {
	private readonly underWay = new Set<AbortController>();

	/**
	 * Makes a request with a signal that aborts at end(), or after so many
	 * milliseconds; then the request fails with TIMEOUT.
	 */
	async run<R>(ms: number, ask: (signal: AbortSignal) => Promise<R>): Promise<R> {
		const abort = new AbortController();
		let late = false;
		const timer = self.setTimeout(() => {
			late = true;
			abort.abort();
		}, ms);
		this.underWay.add(abort);
		try {
			return await ask(abort.signal);
		} catch (error) {
			throw late ? { code: "TIMEOUT", key: "error.timeout" } : error;
		} finally {
			self.clearTimeout(timer);
			this.underWay.delete(abort);
		}
	}

	/** Ends every request that is under way. */
	end(): void {
		for (const abort of this.underWay) abort.abort();
	}
}
