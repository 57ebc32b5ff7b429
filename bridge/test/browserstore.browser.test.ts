/** The stores of the browser, in a browser: their Go tests, run in a worker. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { goTestsInBrowser, type GoTests } from "./go-in-browser";

let go: GoTests;

beforeAll(async () => {
	go = await goTestsInBrowser("wasm/internal/jsbridge/browserstore");
});
afterAll(() => go?.close());

test("the Go tests of the stores pass in a worker of the browser", async () => {
	const { code, output } = await go.run(".");
	expect(output).toMatch(/^--- PASS: TestTheStoresOfTheBrowserKeepTheContract/m);
	expect(code, output).toBe(0);
});

test("a writer that is ended in the middle leaves whole lines and at most one torn one, and its files to the next", async () => {
	for (const lines of [2, 3, 7, 20, 50, 90]) {
		await go.kill("TestWriterUntilItIsEnded", lines);
		const { code, output } = await go.run("TestWhatAWriterThatWasEndedHasLeft");
		expect(output.match(/^found \d+ lines$/gm), output).toHaveLength(2);
		expect(code, output).toBe(0);
	}
});
