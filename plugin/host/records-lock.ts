import type { Plugin } from "obsidian";

const LOCK = "embedded-agent/records/";

/**
 * Of all windows that have a vault open, one writes the records that stay on the device. Gives a function that says
 * whether this window is the one, by the id of the vault. A window that is not becomes it as soon as the one before
 * is closed, or has the plugin switched off.
 */
export function recordsLock(plugin: Plugin): (vault: string) => Promise<boolean> {
	// Where there are no locks, what two windows do at once is told by their heartbeats alone.
	if (!navigator.locks) return async () => true;
	let owns = false;
	let asked: Promise<void> | undefined;
	return async (vault) => {
		await (asked ??= ask(plugin, LOCK + vault, () => (owns = true)));
		return owns;
	};
}

/** Asks for a lock. Resolves when it is known whether it was free; a lock that was not is waited for after that. */
function ask(plugin: Plugin, name: string, granted: () => void): Promise<void> {
	const off = new AbortController();
	plugin.register(() => off.abort());
	const held = () => {
		granted();
		return new Promise<void>((release) => off.signal.addEventListener("abort", () => release()));
	};
	return new Promise((known) => {
		// A queue that the plugin's end cuts off rejects; then nobody asks any more.
		const wait = () => navigator.locks.request(name, { signal: off.signal }, held).catch(() => undefined);
		void navigator.locks
			.request(name, { ifAvailable: true }, (lock) => {
				const holding = lock ? held() : undefined;
				known();
				return holding ?? void wait();
			})
			.catch(() => {
				granted(); // an engine that refuses locks tells no window from another
				known();
			});
	});
}
