// vault.related over 100,000 notes (LARGE= another number), in the Node host, for a
// note: the time from the request to the open review of a plan with that step and a
// new note (a plan that only reads opens no review), warm, and beside the time of a
// query by properties of the same vault. The first one of all reads each note once,
// as a first search does.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { makeLarge } from "../../scripts/make-large.mjs";
import { median } from "../context.mjs";
import { simulatePlan, startNodeHost } from "../nodehost.mjs";

export const names = ["related_100000", "related_100000_vs_query"];

const WARM = 5;
const settings = { provider: "demo", maxCalls: 50_000, confirm: "always" };

export async function* rows(ctx) {
	const folder = join(ctx.folder(), "vault");
	makeLarge(folder, Number(process.env.LARGE ?? 100_000));
	const host = await startNodeHost({ folder, settings });
	ctx.later(() => host.close());
	const path = readdirSync(folder, { recursive: true })
		.filter((name) => name.endsWith(".md"))
		.sort()[0];
	const related = await times(host, "vault.related", { path });
	const query = { tags: ["area/3"], where: [{ property: "rating", op: ">", value: 4 }], sort: "-modified" };
	yield ["related_100000", related, "ms"];
	yield ["related_100000_vs_query", related / (await times(host, "vault.query", query)), "x"];
}

let asked = 0;

async function times({ client }, tool, args) {
	const steps = [
		{ id: "step", tool, args },
		{ id: "made", tool: "vault.createFile", args: { path: "Made.md", content: "x" } },
	];
	const ask = () => simulatePlan(client, { version: 1, goal: tool, steps }, `${tool} ${asked++}`);
	await ask();
	const all = [];
	for (let i = 0; i < WARM; i++) all.push(await ask());
	return median(all);
}
