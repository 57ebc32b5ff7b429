import { expect, test, vi } from "vitest";
import { newTurns } from "./turns";

/** Keeps the thread for some ms, as the beginning of a read does. */
function work(ms: number): void {
	// The work itself is time, on any machine.
	/* eslint-disable no-restricted-syntax */
	const end = performance.now() + ms;
	while (performance.now() < end);
	/* eslint-enable no-restricted-syntax */
}

test("what is begun alone waits for nobody", () => {
	let begun = false;
	void newTurns()(async () => void (begun = true));
	expect(begun).toBe(true);
});

test("what is begun alone waits for nobody, however long the machine does other things", () => {
	let now = 0;
	const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
	let begun = false;
	void newTurns()(async () => void (begun = true));
	clock.mockRestore();
	expect(begun).toBe(true);
});

test("what begins together leaves turns to others in between", async () => {
	const inTurn = newTurns();
	let tasks = 0;
	const { port1, port2 } = new MessageChannel();
	// Something else of the app, which wants to be heard all the time.
	port1.onmessage = () => {
		tasks++;
		port2.postMessage(null);
	};
	port2.postMessage(null);
	const seen: number[] = [];
	await Promise.all(
		Array.from({ length: 100 }, () =>
			inTurn(async () => {
				work(1);
				seen.push(tasks);
			}),
		),
	);
	port1.close();
	const together = Math.max(...seen.map((at) => seen.filter((other) => other === at).length));
	expect(together).toBeLessThan(20);
});
