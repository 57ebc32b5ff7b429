// Runs that change 1,000 notes of 4 kB, in the Node host, against the same work
// done bare: read and written by vault.process, and only read. Orders alternate,
// warm. Targets: modify_1000_vs_bare 1.5 x, simulate_modify_vs_read 1.5 x.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../context.mjs";
import { FolderVault, runPlan, startNodeHost } from "../nodehost.mjs";

export const names = ["modify_1000_vs_bare", "simulate_modify_vs_read"];

const NOTES = 1000;
const TIMES = 5;
const BODY = "A line of a note that says what it is about, and a little more than that.\n".repeat(54); // about 4 kB
const settings = { provider: "demo", maxCalls: 50_000, maxSteps: 1000, maxConcurrency: 8, confirm: "always" };

/** A plan that adds a line to every note of a folder. */
const plan = (folder) => ({
	version: 1,
	goal: `Change the notes of ${folder}`,
	steps: [
		{ id: "list", tool: "vault.listFiles", args: { folder, limit: 100_000 } },
		{
			id: "change",
			tool: "vault.appendFile",
			foreach: { from: "$steps.list.files", itemName: "note" },
			args: { path: "{note.path}", content: "One more line.\n" },
		},
	],
});

export async function* rows(ctx) {
	const folder = ctx.folder();
	const { client, close } = await startNodeHost({ folder, settings });
	ctx.later(close);
	const bare = new FolderVault(folder);
	await runPlan(client, plan(fill(folder, "warm", 300)), "warm");
	const runs = [];
	for (let i = 0; i < TIMES; i++) {
		const first = i % 2 === 0 ? await bareOnce(bare, fill(folder, `bare${i}`, NOTES)) : undefined;
		const ours = await runPlan(client, plan(fill(folder, `run${i}`, NOTES)), `run${i}`);
		runs.push({ ...ours, bare: first ?? (await bareOnce(bare, fill(folder, `bare${i}`, NOTES))) });
		for (const name of [`bare${i}`, `run${i}`]) rmSync(join(folder, name), { recursive: true });
	}
	yield ["modify_1000_vs_bare", median(runs.map((r) => r.run / r.bare.process)), "x"];
	yield ["simulate_modify_vs_read", median(runs.map((r) => r.simulate / r.bare.read)), "x"];
}

/** Makes a folder of notes behind the core's back, as they would have been there before. */
function fill(root, name, count) {
	mkdirSync(join(root, name));
	for (let i = 0; i < count; i++) writeFileSync(join(root, name, `Note ${i}.md`), BODY);
	return name;
}

async function bareOnce(vault, folder) {
	const paths = Array.from({ length: NOTES }, (_, i) => `${folder}/Note ${i}.md`);
	const timed = async (work) => {
		const began = performance.now();
		for (const path of paths) await work(path);
		return performance.now() - began;
	};
	const read = await timed((path) => vault.read(path));
	const process = await timed((path) => vault.process(path, (text) => `${text}One more line.\n`));
	return { read, process };
}
