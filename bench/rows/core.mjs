// The core's own work, as wasm, compiled as it ships: Go benchmarks run by Node,
// whose engine is Chromium's. Targets: plan_validate_1000 <= 50 ms, core_per_note <= 150 µs
// (run and simulation together are core_per_note_and_simulation),
// decode_* >= 10 MB/s, loop_overhead_per_call <= 2 ms.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inlining } from "../../scripts/build/wasm.mjs";

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

export const names = benches.map(([name]) => name);

const perCall = (m) => m["µs/call"] / 1000;

export async function* rows(ctx) {
	const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
	const exec = join(goroot, "lib", "wasm", "go_js_wasm_exec");
	for (const [name, folder, bench, pick, unit] of benches) {
		if (!ctx.wanted(name)) continue;
		const args = [
			"test",
			...inlining,
			"-run",
			"^$",
			"-bench",
			`^Benchmark${bench}$`,
			"-benchtime",
			"5x",
			"-count",
			"3",
			"-exec",
			exec,
		];
		const out = execFileSync("go", [...args, `./wasm/internal/${folder}`], {
			cwd: ctx.root,
			encoding: "utf8",
			env: { ...process.env, GOOS: "js", GOARCH: "wasm" },
		});
		const runs = out
			.split("\n")
			.filter((line) => line.startsWith("Benchmark"))
			.map(measures);
		yield [name, middle(runs.map(pick)), unit];
	}
}

/** Reads "BenchmarkX 5 123 ns/op 4 MB/s" into units. */
function measures(line) {
	const words = line.trim().split(/\s+/).slice(2);
	const found = {};
	for (let i = 0; i + 1 < words.length; i += 2) found[words[i + 1]] = Number(words[i]);
	return found;
}

const middle = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
