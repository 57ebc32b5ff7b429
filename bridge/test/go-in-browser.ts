/** Runs the Go tests of a package in a worker of a real browser: what is tested there is in no other engine. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { installedWasmExec } from "../../scripts/build/wasm.mjs";
import { launchChromium, repository } from "../../test/e2e/harness";

/** What became of a run of the tests. */
export interface GoRun {
	code: number;
	output: string;
}

/** A page whose workers run the tests of one package. */
export interface GoTests {
	page: Page;
	/** Runs the tests with these names; `before` is evaluated in the worker first. */
	run(this: void, names: string, before?: string): Promise<GoRun>;
	/** The same, but the worker is ended after so many lines of output; to the tests, "endless" is true. */
	kill(this: void, names: string, lines: number): Promise<void>;
	close(this: void): Promise<void>;
}

/** As the core sees them (bridge/core.ts). */
const scope = `
const records = {
	storage: () => navigator.storage,
	indexedDB: () => self.indexedDB,
	range: self.IDBKeyRange,
};`;

const worker = (wasmExec: string, url: string) => `
${wasmExec}
${scope}
self.records = records;
const lines = [];
console.log = (line) => { lines.push(line); postMessage({ lines: lines.length }); };
self.onmessage = async ({ data: { names, before } }) => {
	(0, eval)(before);
	const go = new Go();
	go.argv = ["tests", "-test.v", "-test.run", names];
	let code = -1;
	go.exit = (c) => (code = c);
	const { instance } = await WebAssembly.instantiateStreaming(fetch(${JSON.stringify(url)}), go.importObject);
	await go.run(instance);
	postMessage({ code, output: lines.join("\\n") });
};`;

/** Compiles the tests of a package (a path from the repository's root) and opens a page for them. */
export async function goTestsInBrowser(pkg: string): Promise<GoTests> {
	const folder = mkdtempSync(join(tmpdir(), "go-tests-"));
	const binary = join(folder, "tests.wasm");
	const env = { ...process.env, GOOS: "js", GOARCH: "wasm" };
	execFileSync("go", ["test", "-c", "-tags", "browser", "-o", binary, `./${pkg}`], { cwd: repository, env });
	const wasm = readFileSync(binary);
	rmSync(folder, { recursive: true });
	const server = createServer((request, response) => {
		const [type, body] = request.url === "/tests.wasm" ? ["application/wasm", wasm] : ["text/html", ""];
		response.writeHead(200, { "content-type": type }).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const browser = await launchChromium();
	const page = await (await browser.newContext()).newPage();
	await page.goto(url);
	const source = worker(installedWasmExec(), `${url}tests.wasm`);
	const start = (names: string, before: string, kill: number) =>
		page.evaluate(
			([source, names, before, kill]) =>
				new Promise<GoRun>((resolve, reject) => {
					const made = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
					made.onerror = (event) => reject(new Error(event.message));
					made.onmessage = ({ data }: MessageEvent<GoRun & { lines?: number }>) => {
						if (data.lines === undefined) resolve(data);
						else if (data.lines !== kill) return;
						else resolve({ code: -1, output: "killed" });
						made.terminate();
					};
					made.postMessage({ names, before });
				}),
			[source, names, before, kill] as const,
		);
	return {
		page,
		run: (names, before = "") => start(names, before, -1),
		kill: async (names, lines) => void (await start(names, "self.endless = true", lines)),
		close: async () => {
			await browser.close();
			server.close();
			server.closeAllConnections();
		},
	};
}
