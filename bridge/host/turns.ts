/** How long, in ms, what is begun for the core may hold up the app. */
const SLICE_MS = 8;

/** Begins a piece of work, at once or when the app has had its turn. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Begins work at once, or, where this task has begun things for long enough
 * already, when the app has had its turn: a thousand reads that begin together
 * would hold it up.
 */
export const inTurn: Turns = newTurns();

/** Turns that know nothing of what others have begun. */
export function newTurns(): Turns {
	let until = 0;
	let next: Promise<void> | undefined;
	return async (work) => {
		for (;;) {
			if (!next) {
				until = performance.now() + SLICE_MS;
				next = task().then(() => void (next = undefined));
				return work(); // the first of a task, however late it is by now
			}
			if (performance.now() < until) return work();
			await next;
		}
	};
}

/** Ends with the next task. (A timer would be slowed down while the window is hidden.) */
function task(): Promise<void> {
	return new Promise((resolve) => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => {
			port1.close();
			resolve();
		};
		port2.postMessage(null);
	});
}

/** Waits until something of the app's is so, and no longer than a time in ms. */
export async function waitUntil(so: () => boolean, ms: number): Promise<void> {
	const end = performance.now() + ms;
	while (!so() && performance.now() < end) await new Promise((resolve) => window.setTimeout(resolve, 5));
}
