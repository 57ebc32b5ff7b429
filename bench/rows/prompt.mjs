// Tokens that a model is sent before the person's words, in bytes divided by
// four, and the part of a request that is as in the one before, over ten
// requests (the least of all dialects). Targets: 3000, 4000, 0.9.
import { execFileSync } from "node:child_process";

const tests = [
	[
		"prompt_plan_tokens",
		"planner",
		"TestAPlanIsAskedForWithAtMost3000Tokens",
		/at most (\d+) tokens/,
		Math.max,
		"tokens",
	],
	[
		"prompt_agent_tokens",
		"server",
		"TestAnAgentIsSentAtMost4000TokensBeforeThePersonsWords",
		/(\d+) tokens with functions/,
		Math.max,
		"tokens",
	],
	[
		"prompt_prefix_share",
		"planner",
		"TestNineTenthsOfTenRequestsForPlansBeginAlike",
		/: ([\d.]+) %/,
		(...all) => Math.min(...all) / 100,
		"x",
	],
];

export const names = tests.map(([name]) => name);

export async function* rows(ctx) {
	for (const [name, folder, test, pattern, fold, unit] of tests) {
		if (!ctx.wanted(name)) continue;
		const args = ["test", "-count", "1", "-v", "-run", `^${test}$`, `./wasm/internal/${folder}`];
		const out = execFileSync("go", args, { cwd: ctx.root, encoding: "utf8" });
		const found = [...out.matchAll(new RegExp(pattern, "g"))].map((m) => Number(m[1]));
		if (found.length > 0) yield [name, fold(...found), unit];
	}
}
