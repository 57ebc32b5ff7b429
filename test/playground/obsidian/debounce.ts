export interface Debouncer<T extends unknown[], V> {
	(...args: T): Debouncer<T, V>;
	cancel(): Debouncer<T, V>;
	/** Runs at once what is waiting; nothing when nothing is. */
	run(): V | void;
}

/**
 * Runs `cb` at most once per `timeout` ms, with the latest arguments. With `resetTimer` every call starts
 * the wait again.
 */
export function debounce<T extends unknown[], V>(
	cb: (...args: T) => V,
	timeout = 0,
	resetTimer = false,
): Debouncer<T, V> {
	let timer: number | undefined;
	let latest: T | undefined;
	const fire = (): V | void => {
		timer = undefined;
		const args = latest;
		latest = undefined;
		if (args) return cb(...args);
	};
	const debounced = ((...args: T) => {
		latest = args;
		if (timer !== undefined && resetTimer) {
			window.clearTimeout(timer);
			timer = undefined;
		}
		timer ??= window.setTimeout(fire, timeout);
		return debounced;
	}) as Debouncer<T, V>;
	debounced.cancel = () => {
		window.clearTimeout(timer);
		timer = undefined;
		latest = undefined;
		return debounced;
	};
	debounced.run = () => {
		if (timer === undefined) return undefined;
		window.clearTimeout(timer);
		return fire();
	};
	return debounced;
}
