// How long the app does not respond while the first vault.query asks for the
// metadata of every note (target: 50 ms), as the browser reports long tasks: in
// the playground, with the real bridge. PAGE_NOTES= notes (20,000): what the
// bridge does at once (a page of the list, the metadata of a lot of notes) does
// not grow with the vault, and the playground takes a minute for 100,000.
import { join } from "node:path";
import { makeLarge } from "../../scripts/make-large.mjs";
import { prepare } from "../in-page.mjs";

export const names = ["query_longest_task"];

const TIMES = 5;

export async function* rows(ctx) {
	const vault = join(ctx.folder(), "vault");
	makeLarge(vault, Number(process.env.PAGE_NOTES ?? 20_000));
	const { page, close } = await ctx.playground({ vault });
	await page.waitForFunction(() => window.app.metadataCache.initialized, undefined, { timeout: 300_000 });
	await prepare(page);
	const longest = [];
	for (let i = 0; i < TIMES; i++) longest.push(await page.evaluate(firstQuery, i));
	await close();
	yield ["query_longest_task", longest.sort((a, b) => a - b)[TIMES >> 1], "ms"];
}

/** In the page: a core that knows nothing answers a query; gives the longest task meanwhile, 0 when none was over 50 ms. */
async function firstQuery(i) {
	const { bench } = window;
	const plugins = window.app.plugins;
	await plugins.disablePlugin("embedded-agent");
	await plugins.enablePlugin("embedded-agent");
	await (await bench.core()).start();
	const args = { tags: ["area/3"], sort: "-modified", limit: 10 };
	const id = await bench.save(`Query ${i}`, [{ id: "find", tool: "vault.query", args }]);
	return bench.longestTask(() => bench.answer(id));
}
