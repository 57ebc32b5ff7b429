// Starts the core in the engine that runs this file and runs a plan of 100 notes:
// `node bench/engine.mjs` under V8, `bun bench/engine.mjs` under JavaScriptCore. Prints {"engine", "start", "run", "revert"}, times in ms.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPlan, startNodeHost } from "./nodehost.mjs";
import { plan, settings } from "./rows/run.mjs";

const NOTES = 100;
const folder = mkdtempSync(join(tmpdir(), "engine-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const notes = () => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".md")).length;

const { client, startMs: start, close } = await startNodeHost({ folder, settings });
const { run, id } = await runPlan(client, plan("Box", NOTES), "Box");
const made = notes();
const reverting = performance.now();
const reverted = await client.request("run.revert", { run: id });
if (reverted.problem || reverted.conflicts.length > 0) throw new Error(JSON.stringify(reverted));
const left = notes();
if (made !== NOTES || left !== 0)
	throw new Error(`${made} notes were made, and ${left} are left after the revert`);
const engine = process.versions.bun ? "JavaScriptCore" : "V8";
console.log(JSON.stringify({ engine, start, run, revert: performance.now() - reverting }));
close();
process.exit(0);
