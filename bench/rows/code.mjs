// A script for each of many notes: what `foreach` with code.run adds per note to
// a plan that reads them, in the Node host, warm. The time of 10,000 notes per
// note is held against that of 1,000: it must not grow.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../context.mjs";
import { simulatePlan, startNodeHost } from "../nodehost.mjs";

export const names = ["code_run_per_note", "code_run_per_note_1000", "code_run_10000_vs_10x_1000"];

const MANY = 10_000;
const FEW = 1_000;
const TIMES = 5;
const BODY = "A line of a note that says what it is about.\n".repeat(22); // about 1 kB
const settings = {
	provider: "demo",
	maxCalls: 100_000,
	maxSteps: 1000,
	maxConcurrency: 8,
	confirm: "always",
};
const SCRIPT = `def main(note):
    words = note["content"].split()
    return {"path": note["path"], "words": len(words), "dates": re.findall("[0-9]{4}-[0-9]{2}-[0-9]{2}", note["content"])}`;

/** A plan that reads the notes of a folder and, with `code`, computes for each. */
function plan(folder, code) {
	const steps = [
		{ id: "list", tool: "vault.listFiles", args: { folder, limit: 20_000 } },
		{
			id: "read",
			tool: "vault.readFile",
			foreach: { from: "$steps.list.files", itemName: "file" },
			args: { path: "{file.path}" },
		},
	];
	if (code) {
		steps.push({
			id: "code",
			tool: "code.run",
			foreach: { from: "$steps.read.items", itemName: "note" },
			args: { script: SCRIPT, input: "{note}" },
		});
	}
	return { version: 1, goal: "Count the words", steps };
}

export async function* rows(ctx) {
	const folder = ctx.folder();
	for (const [name, count] of [
		["few", FEW],
		["many", MANY],
	]) {
		mkdirSync(join(folder, name));
		for (let i = 0; i < count; i++)
			writeFileSync(join(folder, name, `Note ${i}.md`), `Note ${i}, 2026-01-02\n${BODY}`);
	}
	const { client, close } = await startNodeHost({ folder, settings });
	ctx.later(close);
	const added = async (name, count) => {
		const bare = await simulatePlan(client, plan(name, false), `${name} bare`);
		return ((await simulatePlan(client, plan(name, true), `${name} code`)) - bare) / count;
	};
	await added("few", FEW); // warm
	const few = [];
	const many = [];
	for (let i = 0; i < TIMES; i++) {
		few.push(await added("few", FEW));
		many.push(await added("many", MANY));
	}
	yield ["code_run_per_note", median(many), "ms"];
	yield ["code_run_per_note_1000", median(few), "ms"];
	yield ["code_run_10000_vs_10x_1000", median(many.map((m, i) => m / few[i])), "x"];
}
