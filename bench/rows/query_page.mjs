// How long the app does not respond while the first vault.query asks for the
// metadata of every note (target: 50 ms), as the browser reports long tasks: in
// the playground, with the real bridge. PAGE_NOTES= notes (20,000): what the
// bridge does at once (a page of the list, the metadata of a lot of notes) does
// not grow with the vault, and the playground takes a minute for 100,000.
import { join } from "node:path";
import { makeLarge } from "../../scripts/make-large.mjs";

export const names = ["query_longest_task"];

const TIMES = 5;

export async function* rows(ctx) {
	const vault = join(ctx.folder(), "vault");
	makeLarge(vault, Number(process.env.PAGE_NOTES ?? 20_000));
	const { page, close } = await ctx.playground({ vault });
	await page.waitForFunction(() => window.app.metadataCache.initialized, undefined, { timeout: 300_000 });
	const longest = [];
	for (let i = 0; i < TIMES; i++) longest.push(await page.evaluate(firstQuery, i));
	await close();
	yield ["query_longest_task", longest.sort((a, b) => a - b)[TIMES >> 1], "ms"];
}

/** In the page: a core that knows nothing answers a query; gives the longest task meanwhile, 0 when none was over 50 ms. */
async function firstQuery(i) {
	const plugins = window.app.plugins;
	await plugins.disablePlugin("embedded-agent");
	await plugins.enablePlugin("embedded-agent");
	const client = await plugins.plugins["embedded-agent"].core();
	await client.start();
	const name = `Query ${i}`;
	const args = { tags: ["area/3"], sort: "-modified", limit: 10 };
	const plan = { goal: name, assumptions: [], steps: [{ id: "find", tool: "vault.query", args }] };
	const json = JSON.stringify({
		format: "embedded-agent/actions",
		version: 1,
		actions: [{ id: "", name, plan }],
	});
	await client.request("actions.import", { json, confirm: true });
	const { id } = (await client.request("actions.list", {})).actions.find((action) => action.name === name);
	let longest = 0;
	const observer = new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
	});
	observer.observe({ entryTypes: ["longtask"] });
	await new Promise((resolve, reject) => {
		const end = client.subscribe((event) => {
			if (event.turn?.problem || event.review?.problem) reject(new Error(JSON.stringify(event)));
			if (event.type !== "review.opened") return;
			end();
			resolve();
		});
		client.request("actions.run", { id }).catch(reject);
	});
	observer.disconnect();
	return longest;
}
