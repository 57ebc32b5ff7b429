/** Runs what it is given one after the other; a failure does not stop the rest. */
export class SerialQueue {
	private tail: Promise<unknown> = Promise.resolve();

	/** Resolves or rejects as `work` does, once everything before it has ended. */
	run<T>(work: () => Promise<T>): Promise<T> {
		const result = this.tail.then(work, work);
		this.tail = result.catch(() => undefined);
		return result;
	}
}
