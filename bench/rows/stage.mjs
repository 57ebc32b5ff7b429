// A command's working copy of 100,000 notes (LARGE= another number), natively:
// the time to make one against `cp -r` (target 1.5), and to find what was changed
// in it against `git status` on the same folder (target 1). Each is the middle of
// ratios that were taken in turn, so it holds on any machine.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { makeLarge } from "../../scripts/make-large.mjs";

const benches = [
	["stage_copy_vs_cp", "CopyVsCp", "cp"],
	["stage_compare_100000_vs_git", "CompareVsGit", "git"],
];

export const names = benches.map(([name]) => name);

export async function* rows(ctx) {
	const vault = join(ctx.folder(), "vault");
	makeLarge(vault, Number(process.env.LARGE ?? 100_000));
	for (const [name, bench, program] of benches) {
		if (!ctx.wanted(name)) continue;
		if (spawnSync(program, ["--version"]).status !== 0) yield [name, `no-${program}`, ""];
		else yield [name, ratio(ctx, bench, vault), "x"];
	}
}

/** The metric that a benchmark reports as its ratio. */
function ratio(ctx, bench, vault) {
	const out = execFileSync(
		"go",
		["test", "-run", "^$", "-bench", `^Benchmark${bench}$`, "-benchtime", "7x", "./wasm/internal/workcopy"],
		{ cwd: ctx.root, encoding: "utf8", env: { ...process.env, LARGE_VAULT: vault } },
	);
	const found = /([\d.]+) ratio/.exec(out);
	if (!found) throw new Error(out);
	return Number(found[1]);
}
