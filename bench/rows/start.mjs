// What the plugin costs when the app starts, and when the core does
// (docs/design/boundary.md#start; targets in ms: onload 10, main_js_eval 15, load_total
// 80, core_start 400, core_start_longest_task 50). Ratios taken in one run hold on
// any machine: load_total_vs_literal (against evaluating one string of that
// length; 1.5) and core_start_vs_floor (against unpacking, compiling and
// instantiating the same bytes; 1.8).
import { statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { core, decoderWasm } from "../../scripts/build/wasm.mjs";
import { median } from "../context.mjs";

const loading = ["onload_main_thread", "main_js_eval", "load_total", "load_total_vs_literal"];
const starting = ["core_start", "core_start_vs_floor", "core_start_longest_task"];

export const names = ["main_js_bytes", ...loading, ...starting];

const TIMES = 7;

export async function* rows(ctx) {
	if (ctx.wanted("main_js_bytes")) yield ["main_js_bytes", statSync(join(ctx.root, "main.js")).size, "B"];
	if (loading.some(ctx.wanted)) yield* load(ctx);
	if (starting.some(ctx.wanted)) yield* start(ctx);
}

/** Evaluating main.js and loading the plugin, on a CPU four times slower. */
async function* load(ctx) {
	const { page, close } = await ctx.playground({ enabled: false, slow: 4 });
	const runs = [];
	for (let i = 0; i < TIMES; i++) runs.push(await page.evaluate(loadOnce, i));
	await close();
	const middle = (pick) => median(runs.map(pick));
	yield ["onload_main_thread", middle((r) => r.onload), "ms"];
	yield ["main_js_eval", middle((r) => r.whole - r.bare), "ms"];
	yield ["load_total", middle((r) => r.whole + r.onload), "ms"];
	yield ["load_total_vs_literal", middle((r) => (r.whole + r.onload) / r.literal), "x"];
}

/**
 * In the page: evaluates main.js, the same without the core, and loads the
 * plugin with its data at hand, so that what is measured is the main thread's
 * own time. Each source is new to the engine, so that no cache answers.
 */
async function loadOnce(i) {
	const { app } = window;
	const id = "embedded-agent";
	const manifest = app.plugins.manifests[id];
	const main = await app.vault.adapter.readAsApp(`${manifest.dir}/main.js`);
	const bareText = main.replace(/"[\w+/=]{1000000,}"/, '""');
	if (bareText === main) throw new Error("main.js holds no core");
	let unique = 0;
	const evaluate = (text) => {
		const source = `/* ${i} ${unique++} */ ${text}`;
		const began = performance.now();
		const PluginClass = app.plugins.evaluate(source, id);
		return { ms: performance.now() - began, PluginClass };
	};
	const bareFirst = i % 2 === 0 ? evaluate(bareText).ms : undefined;
	const whole = evaluate(main);
	const bare = bareFirst ?? evaluate(bareText).ms;
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const { ms: literal } = evaluate(
		`module.exports = class { text = "${letters.repeat(main.length / letters.length)}" };`,
	);

	const plugin = new whole.PluginClass(app, manifest);
	plugin.loadData = async () => null;
	const began = performance.now();
	await plugin.load();
	const onload = performance.now() - began;
	plugin.unload();
	return { whole: whole.ms, bare, onload, literal };
}

/** From the first use of the core to its first answer, and how long the page did not respond meanwhile. */
async function* start(ctx) {
	const floor = await floorOf(ctx);
	const runs = [];
	for (let i = 0; i < TIMES; i++) {
		const { page, close } = await ctx.playground();
		const least = await page.evaluate(floorOnce, floor);
		runs.push({ ...(await page.evaluate(startOnce)), least });
		await close();
	}
	yield ["core_start", median(runs.map((r) => r.ms)), "ms"];
	yield ["core_start_vs_floor", median(runs.map((r) => r.ms / r.least)), "x"];
	yield ["core_start_longest_task", median(runs.map((r) => r.longest)), "ms"];
}

/** In the page: a task that comes as often as it can shows when the thread was busy. */
async function startOnce() {
	const plugin = window.app.plugins.plugins["embedded-agent"];
	const { port1, port2 } = new MessageChannel();
	let last = performance.now();
	let longest = 0;
	let over = false;
	port2.onmessage = () => {
		const now = performance.now();
		longest = Math.max(longest, now - last);
		last = now;
		if (!over) port1.postMessage(0);
	};
	port1.postMessage(0);
	const began = performance.now();
	const client = await plugin.core();
	await client.request("estimate", { text: "How long is this?" });
	const ms = performance.now() - began;
	over = true;
	return { ms, longest };
}

/** A worker that unpacks, compiles and instantiates the core, and the bytes that it does that with. */
async function floorOf(ctx) {
	const { outputFiles } = await build({
		stdin: { contents: FLOOR, resolveDir: ctx.root, loader: "ts" },
		bundle: true,
		write: false,
		format: "iife",
	});
	const { packed } = await core();
	return {
		script: outputFiles[0].text,
		packed: packed.toString("base64"),
		decoder: decoderWasm().toString("base64"),
	};
}

const FLOOR = `
	import { inflate } from "./bridge/module";
	import { unfilter } from "./bridge/unfilter";
	self.onmessage = async ({ data: { packed, decoder } }) => {
		const wasm = await inflate(decoder, packed);
		unfilter(wasm);
		const module = await WebAssembly.compile(wasm);
		const imports = {};
		for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
		await WebAssembly.instantiate(module, imports);
		self.postMessage("done");
	};
	self.postMessage("alive");
`;

/** In the page: how long the least that a core needs takes, in ms. */
async function floorOnce({ script, packed, decoder }) {
	const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
	const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
	const told = () => new Promise((resolve) => (worker.onmessage = resolve));
	await told();
	const message = { packed: bytes(packed), decoder: bytes(decoder) };
	const began = performance.now();
	worker.postMessage(message);
	await told();
	const ms = performance.now() - began;
	worker.terminate();
	return ms;
}
