import { expect, test, vi } from "vitest";
import { inTurn } from "./turns";

/** Keeps the thread for some ms, as the beginning of a read does. */
function work(ms: number): void {
	const end = performance.now() + ms;
	while (performance.now() < end);
}

test("what is begun alone waits for nobody", () => {
	let begun = false;
	void inTurn(async () => void (begun = true));
	expect(begun).toBe(true);
});

test("what is begun alone waits for nobody, however long the machine does other things", async () => {
	await new Promise((resolve) => setTimeout(resolve)); // what the test before has begun is over
	let now = 0;
	const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
	let begun = false;
	void inTurn(async () => void (begun = true));
	clock.mockRestore();
	expect(begun).toBe(true);
	await new Promise((resolve) => setTimeout(resolve)); // its task is over, too
});

test("what begins together leaves turns to others in between", async () => {
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
