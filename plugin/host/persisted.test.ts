/** The browser is asked once for its promise to keep what is stored. */
import type { App } from "obsidian";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const kept = new Map<string, unknown>();
const app = {
	loadLocalStorage: (key: string) => kept.get(key) ?? null,
	saveLocalStorage: (key: string, value: unknown) => void kept.set(key, value),
} as unknown as App;

/** As after a start of the app. */
async function start(): Promise<() => boolean> {
	vi.resetModules();
	const { keptHere } = await import("./persisted");
	return () => keptHere(app);
}

beforeEach(() => kept.clear());
afterEach(() => vi.unstubAllGlobals());

test("it is asked once on a device; later it is only looked whether the promise holds", async () => {
	const storage = { persist: vi.fn(async () => true), persisted: vi.fn(async () => false) };
	vi.stubGlobal("navigator", { storage });
	const first = await start();
	expect(first()).toBe(false); // nobody waits for a person's answer
	await expect.poll(() => first()).toBe(true);
	expect(storage.persisted).not.toHaveBeenCalled();
	const later = await start();
	expect(later()).toBe(true);
	await expect.poll(() => later()).toBe(false);
	expect(storage.persist).toHaveBeenCalledTimes(1);
});

test("a browser that has no such storage, or refuses, has promised nothing", async () => {
	for (const storage of [undefined, { persist: () => Promise.reject(new Error("no")) }]) {
		kept.clear();
		vi.stubGlobal("navigator", { storage });
		const ask = await start();
		ask();
		await expect.poll(() => kept.size).toBe(1);
		expect(ask()).toBe(false);
	}
});
