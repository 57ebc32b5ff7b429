// Runs of 1,000 notes in the Node host, against the same work done bare: the
// same folder, the same queue, the same concurrency, orders alternating, warm.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { median } from "../context.mjs";
import { FolderVault, runPlan, startNodeHost } from "../nodehost.mjs";

export const names = [
	"bare_create",
	"bare_process",
	"run_1000_vs_bare",
	"simulate_1000_vs_bare",
	"revert_1000_vs_bare_delete",
	"record_writes_1000",
	"record_flushes_1000",
];

const NOTES = 1000;
const TIMES = 5;
const WARM = 300;
const BODY = "A line of a note that says what it is about.\n".repeat(22); // about 1 kB
export const settings = {
	provider: "demo",
	maxCalls: 50_000,
	maxSteps: 1000,
	maxConcurrency: 8,
	confirm: "always",
};

/** A plan that makes `count` notes in a folder. */
export function plan(folder, count) {
	const bullets = Array.from({ length: count }, (_, i) => `- Note ${i}`).join("\n");
	return {
		version: 1,
		goal: `Make ${count} notes`,
		steps: [
			{ id: "list", tool: "util.parseMarkdownBullets", args: { text: bullets } },
			{ id: "folder", tool: "vault.ensureFolder", args: { path: folder } },
			{
				id: "make",
				tool: "vault.createFile",
				foreach: { from: "$steps.list.items", itemName: "bullet" },
				args: { path: `${folder}/{bullet.title}.md`, content: BODY },
				dependsOn: ["folder"],
			},
		],
	};
}

export async function* rows(ctx) {
	const folder = ctx.folder();
	const bare = new FolderVault(folder);
	const { client, facts, close } = await startNodeHost({ folder, settings });
	ctx.later(close);
	await once(client, facts, "warm", WARM);
	const runs = [];
	for (let i = 0; i < TIMES; i++) {
		const first = i % 2 === 0 ? await bareOnce(bare, `bare${i}`) : undefined;
		const ours = await once(client, facts, `run${i}`, NOTES);
		runs.push({ ...ours, bare: first ?? (await bareOnce(bare, `bare${i}`)) });
		for (const name of [`bare${i}`, `run${i}`]) rmSync(join(folder, name), { recursive: true, force: true });
	}
	const middle = (pick) => median(runs.map(pick));
	yield ["bare_create", middle((r) => r.bare.create) / NOTES, "ms"];
	yield ["bare_process", middle((r) => r.bare.process) / NOTES, "ms"];
	yield ["run_1000_vs_bare", middle((r) => r.run / r.bare.create), "x"];
	yield ["simulate_1000_vs_bare", middle((r) => r.simulate / r.bare.create), "x"];
	yield ["revert_1000_vs_bare_delete", middle((r) => r.revert / r.bare.remove), "x"];
	yield ["record_writes_1000", middle((r) => r.writes), ""];
	yield ["record_flushes_1000", middle((r) => r.flushes), ""];
}

/** One run of `count` notes, and its revert. */
async function once(client, facts, folder, count) {
	const before = await facts();
	const { simulate, run, id } = await runPlan(client, plan(folder, count), folder);
	const after = await facts();
	const began = performance.now();
	const reverted = await client.request("run.revert", { run: id });
	if (reverted.problem || reverted.conflicts.length > 0)
		throw new Error(`revert: ${JSON.stringify(reverted)}`);
	const [writes, flushes] = ["writes", "flushes"].map((name) => after[name] - before[name]);
	return { simulate, run, writes, flushes, revert: performance.now() - began };
}

/** The same notes by the host alone: created, changed and removed one after the other. */
async function bareOnce(vault, folder) {
	mkdirSync(join(vault.folder, folder), { recursive: true });
	const paths = Array.from({ length: NOTES }, (_, i) => `${folder}/Note ${i}.md`);
	const timed = async (work) => {
		const began = performance.now();
		for (const path of paths) await work(path);
		return performance.now() - began;
	};
	const create = await timed((path) => vault.create(path, BODY));
	const process = await timed((path) => vault.process(path, (text) => `${text}more\n`));
	const remove = await timed((path) => vault.remove(path));
	return { create, process, remove };
}
