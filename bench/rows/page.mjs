// How long the app does not respond while a run of 1,000 notes goes on with the
// panel open, and one of 5,000, which makes 10,000 events (target of both: 50 ms),
// as the browser reports long tasks.
import { prepare } from "../in-page.mjs";

export const names = ["longest_task_run_1000", "longest_task_10000_events"];

const sizes = { longest_task_run_1000: 1000, longest_task_10000_events: 5000 };
const TIMES = 5;

export async function* rows(ctx) {
	const { page, close } = await ctx.playground();
	await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
	await page.getByRole("textbox", { name: "Message" }).waitFor();
	await prepare(page);
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
	const { bench } = window;
	const id = await bench.save(name, bench.makeNotes(notes, folder));
	return bench.longestTask(() => bench.run(id));
}
