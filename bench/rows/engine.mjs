// The same core under the engine of Safari and of every iPhone, beside V8, both
// outside of a browser: Bun runs JavaScriptCore, Node runs V8.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { median } from "../context.mjs";

export const names = ["core_start_jsc", "core_start_jsc_vs_v8", "run_100_jsc_vs_v8"];

const TIMES = 5;

export async function* rows(ctx) {
	const bun = join(ctx.root, "test/engines/node_modules/.bin/bun");
	if (!existsSync(bun)) {
		for (const name of names) yield [name, "skipped", ""];
		return;
	}
	const once = (engine) =>
		JSON.parse(
			execFileSync(engine, [join(ctx.root, "bench/engine.mjs")], { encoding: "utf8" })
				.trim()
				.split("\n")
				.at(-1),
		);
	const runs = Array.from({ length: TIMES }, () => ({ v8: once(process.execPath), jsc: once(bun) }));
	yield [names[0], median(runs.map((r) => r.jsc.start)), "ms"];
	yield [names[1], median(runs.map((r) => r.jsc.start / r.v8.start)), "x"];
	yield [names[2], median(runs.map((r) => r.jsc.run / r.v8.run)), "x"];
}
