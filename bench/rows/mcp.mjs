// A read call of the MCP server over 2,000 notes, with a client in the same process,
// natively: milliseconds a call with nothing staged, and with a hundred calls staged
// (target 2 each).
import { execFileSync } from "node:child_process";

export const names = ["mcp_call_overhead", "mcp_call_overhead_staged"];

export async function* rows(ctx) {
	const out = execFileSync(
		"go",
		["test", "-run", "^$", "-bench", "^BenchmarkMCPRead$", "-benchtime", "200x", "./wasm/internal/cli"],
		{ cwd: ctx.root, encoding: "utf8" },
	);
	for (const [i, staged] of [0, 100].entries()) {
		const found = new RegExp(`staged=${staged}\\b.*?([\\d.]+) ns/op`).exec(out);
		if (!found) throw new Error(out);
		yield [names[i], Number(found[1]) / 1e6, "ms"];
	}
}
