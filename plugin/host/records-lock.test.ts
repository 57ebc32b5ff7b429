/** Which of two windows writes the records of a vault. The locks here are what the engine's are. */
import type { Plugin } from "obsidian";
import { afterEach, expect, test, vi } from "vitest";
import { recordsLock } from "./records-lock";

interface Held {
	mode?: string;
}
type Granted = (lock: Held | null) => unknown;

/** One lock for one name: the first who asks has it until what it does is over; the others wait in their order. */
class Locks {
	#waiting = new Map<string, (() => void)[]>();

	async request(name: string, { ifAvailable, signal }: LockOptions, granted: Granted): Promise<unknown> {
		const waiting = this.#waiting.get(name);
		if (waiting && ifAvailable) return granted(null);
		if (waiting)
			await new Promise<void>((turn, refuse) => {
				waiting.push(turn);
				signal?.addEventListener("abort", () => refuse(new DOMException("aborted", "AbortError")));
			});
		else this.#waiting.set(name, []);
		await granted({});
		const next = this.#waiting.get(name)?.shift();
		if (next) next();
		else this.#waiting.delete(name);
		return undefined;
	}
}

/** A window's plugin, and what switches it off. */
function window(): { owns: (vault: string) => Promise<boolean>; off: () => void } {
	const ends: (() => void)[] = [];
	const plugin = { register: (end: () => void) => ends.push(end) } as unknown as Plugin;
	return { owns: recordsLock(plugin), off: () => ends.forEach((end) => end()) };
}

afterEach(() => vi.unstubAllGlobals());

test("the first window writes the records; the second does when the first has the plugin switched off", async () => {
	vi.stubGlobal("navigator", { locks: new Locks() });
	const [first, second, other] = [window(), window(), window()];
	expect(await first.owns("vault")).toBe(true);
	expect(await second.owns("vault")).toBe(false);
	expect(await other.owns("another vault")).toBe(true);
	first.off();
	await expect.poll(() => second.owns("vault")).toBe(true);
});

test("a window that is closed while it waits does not get its turn", async () => {
	vi.stubGlobal("navigator", { locks: new Locks() });
	const [first, second] = [window(), window()];
	await first.owns("vault");
	expect(await second.owns("vault")).toBe(false);
	second.off();
	await Promise.resolve();
	expect(await second.owns("vault")).toBe(false);
	expect(await first.owns("vault")).toBe(true);
});

test("an engine without locks, or one that refuses them, tells no window from another", async () => {
	vi.stubGlobal("navigator", {});
	expect(await window().owns("vault")).toBe(true);
	const request = async () => {
		throw new DOMException("no", "SecurityError");
	};
	vi.stubGlobal("navigator", { locks: { request } });
	expect(await window().owns("vault")).toBe(true);
});
