import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Waiting } from "./waiting";

/** A core that answers nothing until its request is cancelled. */
const silent = (signal: AbortSignal) =>
	new Promise<string>((_, reject) =>
		signal.addEventListener("abort", () =>
			reject(Object.assign(new Error("cancelled"), { code: "CANCELLED" })),
		),
	);

describe("requests that somebody waits for", () => {
	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	it("end by themselves when their time is over, and say so", async () => {
		const waiting = new Waiting();
		const request = waiting.run(1000, silent).catch((error: unknown) => error);
		await vi.advanceTimersByTimeAsync(999);
		expect(vi.getTimerCount()).toBe(1);
		await vi.advanceTimersByTimeAsync(1);
		expect(await request).toMatchObject({ code: "TIMEOUT" });
	});

	it("all end at once, and one that begins later does not", async () => {
		const waiting = new Waiting();
		const requests = [1, 2].map(() => waiting.run(1000, silent).catch((error: unknown) => error));
		waiting.end();
		for (const request of requests) expect(await request).toMatchObject({ code: "CANCELLED" });
		let ended = false;
		void waiting.run(1000, silent).catch(() => (ended = true));
		await vi.advanceTimersByTimeAsync(500);
		expect(ended).toBe(false);
	});

	it("leave no timer behind when they are answered", async () => {
		const waiting = new Waiting();
		expect(await waiting.run(1000, () => Promise.resolve("yes"))).toBe("yes");
		await expect(waiting.run(1000, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
		expect(vi.getTimerCount()).toBe(0);
	});
});
