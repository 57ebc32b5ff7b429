// How long the app does not respond while a run of 1,000 notes goes on with the
// panel open, and one of 5,000, which makes 10,000 events (target of both: 50 ms),
// as the browser reports long tasks.
export const names = ["longest_task_run_1000", "longest_task_10000_events"];

const sizes = { longest_task_run_1000: 1000, longest_task_10000_events: 5000 };
const TIMES = 5;

export async function* rows(ctx) {
	const { page, close } = await ctx.playground();
	await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
	await page.getByRole("textbox", { name: "Message" }).waitFor();
	const run = (name, notes) => page.evaluate(runOnce, { name, folder: name, notes });
	await run("Bench", 100); // warms up
	for (const name of names.filter(ctx.wanted)) {
		const longest = [];
		for (let i = 0; i < TIMES; i++) longest.push(await run(`${name} ${i}`, sizes[name]));
		yield [name, longest.sort((a, b) => a - b)[TIMES >> 1], "ms"];
	}
	await close();
}

/** In the page: makes notes by a saved action and gives the longest task meanwhile, 0 when none was over 50 ms. */
async function runOnce({ name, folder, notes }) {
	const client = await window.app.plugins.plugins["embedded-agent"].core();
	const text = Array.from({ length: notes }, (_, i) => `- Note ${i}`).join("\n");
	const steps = [
		{ id: "list", tool: "util.parseMarkdownBullets", args: { text } },
		{
			id: "make",
			tool: "vault.createFile",
			args: { folder, title: "{bullet.title}", content: "{bullet.title}\n".repeat(60) },
			foreach: { from: "$steps.list.items", itemName: "bullet" },
		},
	];
	const actions = [{ id: "", name, plan: { goal: name, assumptions: [], steps } }];
	const json = JSON.stringify({ format: "embedded-agent/actions", version: 1, actions });
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
			if (event.type === "review.opened")
				client
					.request("review.approve", { run: event.review.run, approval: event.review.approval })
					.catch(reject);
			if (event.type !== "run.state" || event.run.state !== "finished") return;
			end();
			if (event.run.outcome === "ok") resolve();
			else reject(new Error(JSON.stringify(event.run)));
		});
		client.request("actions.run", { id }).catch(reject);
	});
	observer.disconnect();
	return longest;
}
