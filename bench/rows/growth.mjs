// How a run of 10,000 notes compares with ten of 1,000, in the Node host, and
// the memory that the core has afterwards. Targets: 1.2 x, 300 MB.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { median } from "../context.mjs";
import { runPlan, startNodeHost } from "../nodehost.mjs";
import { plan, settings } from "./run.mjs";

export const names = ["run_10000_vs_10x_run_1000", "core_memory_10000"];

const TIMES = 5;

export async function* rows(ctx) {
	const folder = ctx.folder();
	const { client, facts, close } = await startNodeHost({ folder, settings });
	ctx.later(close);
	const once = async (name, count) => {
		const { run } = await runPlan(client, plan(name, count), name);
		rmSync(join(folder, name), { recursive: true });
		return run;
	};
	await once("warm", 300);
	const ratios = [];
	for (let i = 0; i < TIMES; i++) {
		const small = [];
		for (let j = 0; j < 3; j++) small.push(await once(`small${i}-${j}`, 1000));
		ratios.push((await once(`large${i}`, 10_000)) / (10 * median(small)));
	}
	yield ["run_10000_vs_10x_run_1000", median(ratios), "x"];
	yield ["core_memory_10000", (await facts()).memory / 1e6, "MB"];
}
