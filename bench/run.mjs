// Prints `name value unit` for every row of bench/rows/*.mjs, or for those
// whose name starts with the first argument. A group is a file that exports
// `names`, the rows it can give, and `rows(ctx)`, which yields
// [name, value, unit]. What it needs of the world is in ctx (context.mjs); it
// may skip rows that `ctx.wanted` does not ask for. Fails when a row of a
// group is missing; a target that is missed is a row like others.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Context } from "./context.mjs";

const PATIENCE = 15 * 60_000; // ms for one row; the longest takes five minutes
const prefix = process.argv[2] ?? "";
const folder = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "rows");
const ctx = new Context((name) => name.startsWith(prefix));
let failed = false;

try {
	for (const file of readdirSync(folder)
		.filter((name) => name.endsWith(".mjs"))
		.sort()) {
		const group = await import(pathToFileURL(join(folder, file)).href);
		const missing = new Set(group.names.filter(ctx.wanted));
		if (missing.size === 0) continue;
		try {
			for await (const [name, value, unit] of inTime(group.rows(ctx))) {
				missing.delete(name);
				if (ctx.wanted(name)) console.log(`${name} ${round(value)} ${unit}`.trimEnd());
			}
		} catch (error) {
			console.error(`${file}: ${error.stack ?? error}`);
		}
		if (missing.size > 0) {
			failed = true;
			console.error(`${file} did not give ${[...missing].join(", ")}`);
		}
	}
} finally {
	await ctx.close();
}
process.exitCode = failed ? 1 : 0;

/** The rows of a group; one that is waited for in vain is an error. */
async function* inTime(rows) {
	for (;;) {
		const ac = new AbortController();
		const over = setTimeout(PATIENCE, undefined, { signal: ac.signal }).then(() => {
			throw new Error(`no row came for ${PATIENCE / 60_000} minutes`);
		});
		over.catch(() => undefined); // where the row came first
		const { done, value } = await Promise.race([rows.next(), over]).finally(() => ac.abort());
		if (done) return;
		yield value;
	}
}

/** Three digits that say something; a row that was skipped has a word. */
function round(value) {
	if (typeof value === "string") return value;
	return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
