// Searches and queries over 100,000 notes (LARGE= another number), in the Node
// host: the core in a worker thread, files read by direct calls, the list of
// files from a tree in memory as in the app. A core's first search has no index;
// it is compared with a bare loop that reads each note, as many at a time, and
// looks for the word. The rest is warm: the time from the request to the open
// review of a plan with the one step. ripgrep reads the same files, all in the
// system's cache by then. query_longest_task is taken in Chromium: the app's
// main thread while a vault's metadata is asked for by a first query.
import { execFileSync, spawnSync } from "node:child_process";
import { promises as fs, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { makeLarge, RARE } from "../../scripts/make-large.mjs";
import { median } from "../context.mjs";
import { DEVICE, simulatePlan, startNodeHost } from "../nodehost.mjs";

export const names = [
	"search_cold_vs_scan",
	"search_warm",
	"search_warm_vs_rg",
	"search_index_share",
	"query_100000",
];

const COLD = 3; // one takes half a minute
const WARM = 7;
const AT_ONCE = 64; // as many as the core reads together
const settings = { provider: "demo", maxCalls: 50_000, confirm: "always" };

export async function* rows(ctx) {
	const folder = join(ctx.folder(), "vault");
	const { bytes } = makeLarge(folder, Number(process.env.LARGE ?? 100_000));
	const paths = notesOf(folder);
	await bareScan(folder, paths); // the system's cache is warm for both
	const cold = [];
	let host;
	for (let i = 0; i < (ctx.wanted("search_cold_vs_scan") ? COLD : 1); i++) {
		await host?.close();
		rmSync(join(folder, DEVICE), { recursive: true, force: true });
		host = await startNodeHost({ folder, settings });
		await ask(host, "vault.query", { name: "the list of files is there before" });
		const bare = i % 2 === 0 ? await bareScan(folder, paths) : undefined;
		const ours = await ask(host, "vault.searchText", { query: RARE });
		cold.push(ours / (bare ?? (await bareScan(folder, paths))));
	}
	ctx.later(() => host.close());
	yield ["search_cold_vs_scan", median(cold), "x"];

	const warm = await times(() => ask(host, "vault.searchText", { query: RARE }));
	yield ["search_warm", warm, "ms"];
	if (ctx.wanted("search_warm_vs_rg")) yield ["search_warm_vs_rg", ...(await ripgrep(folder, warm))];
	yield ["search_index_share", indexBytes(join(folder, DEVICE)) / bytes, "x"];

	const query = {
		tags: ["area/3"],
		where: [{ property: "rating", op: ">", value: 4 }],
		sort: "-modified",
		limit: 100,
	};
	await ask(host, "vault.query", query); // the first one reads the metadata
	yield ["query_100000", await times(() => ask(host, "vault.query", query)), "ms"];
}

/** The bytes of the index, wherever below a folder this device keeps it. */
function indexBytes(folder) {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
		(entry) => entry.isFile() && basename(entry.parentPath) === "index",
	);
	if (files.length === 0) throw new Error(`no index below ${folder}`);
	return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

let asked = 0;

/** Milliseconds of a plan with one step. */
function ask({ client }, tool, args) {
	const plan = { version: 1, goal: tool, steps: [{ id: "step", tool, args }] };
	return simulatePlan(client, plan, `${tool} ${asked++}`);
}

async function times(work) {
	await work();
	const all = [];
	for (let i = 0; i < WARM; i++) all.push(await work());
	return median(all);
}

/** A ratio, or a word where there is no ripgrep. */
async function ripgrep(folder, ours) {
	if (spawnSync("rg", ["--version"]).error) return ["skipped:", "ripgrep is not installed"];
	const rg = await times(async () => {
		const began = performance.now();
		execFileSync("rg", ["--count", "--ignore-case", "--glob", "*.md", RARE, folder]);
		return performance.now() - began;
	});
	return [ours / rg, "x"];
}

function notesOf(folder) {
	return readdirSync(folder, { recursive: true }).filter((path) => path.endsWith(".md"));
}

/** Milliseconds of reading every note and looking for the word. */
async function bareScan(folder, paths) {
	const began = performance.now();
	let found = 0;
	for (let at = 0; at < paths.length; at += AT_ONCE) {
		const texts = await Promise.all(
			paths.slice(at, at + AT_ONCE).map((path) => fs.readFile(join(folder, path), "utf8")),
		);
		for (const text of texts) if (text.toLowerCase().indexOf(RARE) >= 0) found++;
	}
	if (found === 0) throw new Error("the word is nowhere");
	return performance.now() - began;
}
