// The core's own work, as wasm, compiled as it ships: Go benchmarks run by Node,
// whose engine is Chromium's. Targets: plan_validate_1000 <= 50 ms, core_per_note <= 150 µs
// (run and simulation together are core_per_note_and_simulation),
// decode_* >= 10 MB/s, loop_overhead_per_call <= 2 ms.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inlining } from "../../scripts/build/wasm.mjs";
import { median } from "../context.mjs";

const benches = [
	["plan_validate_1000", "plan", "DecodeAndCheck1000", (m) => m["ns/op"] / 1e6, "ms"],
	["core_per_note", "server", "Execute1000", (m) => m["µs/note"], "µs"],
	["core_per_note_and_simulation", "server", "Run1000", (m) => m["µs/note"], "µs"],
	["tool_validate", "tool/builtin", "Validate", (m) => m["µs/call"], "µs"],
	["loop_overhead_per_call", "agent", "LoopOverheadPerCall", (m) => perCall(m), "ms"],
	["decode_responses", "llm/openai", "Decode", (m) => m["MB/s"], "MB/s"],
	["decode_chat", "llm/chat", "Decode", (m) => m["MB/s"], "MB/s"],
	["decode_anthropic", "llm/anthropic", "Decode", (m) => m["MB/s"], "MB/s"],
];

/**
 * Ratios of two benchmarks taken one after the other, which hold on any machine.
 * Targets: plan_validate_vs_parse 8 (against JSON.parse and a walk over the same
 * plan), core_per_note_vs_native 6.
 */
const ratios = [
	[
		"plan_validate_vs_parse",
		["plan", "DecodeAndCheck1000", "wasm"],
		["plan", "ParseAndWalk1000", "wasm"],
		(m) => m["ns/op"],
	],
	[
		"core_per_note_vs_native",
		["server", "Execute1000", "wasm"],
		["server", "Execute1000", "native"],
		(m) => m["µs/note"],
	],
];

export const names = [...benches, ...ratios].map(([name]) => name);

const perCall = (m) => m["µs/call"] / 1000;

export async function* rows(ctx) {
	for (const [name, folder, bench, pick, unit] of benches) {
		if (ctx.wanted(name)) yield [name, measure(ctx, folder, bench, "wasm", pick), unit];
	}
	for (const [name, ours, other, pick] of ratios) {
		if (ctx.wanted(name)) yield [name, measure(ctx, ...ours, pick) / measure(ctx, ...other, pick), "x"];
	}
}

/** The middle of a benchmark's runs, as wasm in Node or natively. */
function measure(ctx, folder, bench, target, pick) {
	const wasm = target === "wasm";
	const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
	const args = ["test", "-run", "^$", "-bench", `^Benchmark${bench}$`, "-benchtime", "5x", "-count", "3"];
	if (wasm) args.push(...inlining, "-exec", join(goroot, "lib", "wasm", "go_js_wasm_exec"));
	const out = execFileSync("go", [...args, `./wasm/internal/${folder}`], {
		cwd: ctx.root,
		encoding: "utf8",
		env: wasm ? { ...process.env, GOOS: "js", GOARCH: "wasm" } : process.env,
	});
	const runs = out
		.split("\n")
		.filter((line) => line.startsWith("Benchmark"))
		.map(measures);
	return median(runs.map(pick));
}

/** Reads "BenchmarkX 5 123 ns/op 4 MB/s" into units. */
function measures(line) {
	const words = line.trim().split(/\s+/).slice(2);
	const found = {};
	for (let i = 0; i + 1 < words.length; i += 2) found[words[i + 1]] = Number(words[i]);
	return found;
}
