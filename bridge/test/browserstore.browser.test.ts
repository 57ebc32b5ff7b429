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
