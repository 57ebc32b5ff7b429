// How long the app does not respond while the review of a plan that changes
// REVIEW_NOTES notes (10,000) is made, drawn, scrolled, unfolded, amended and
// approved (target: 50 ms), as the browser reports long tasks: in the playground,
// with the real bridge and panel. PHASES=1 tells the longest of each of these.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const names = ["longest_task_review_10000"];

const NOTES = Number(process.env.REVIEW_NOTES ?? 10_000);
const TIMES = Number(process.env.TIMES ?? 3);
const BODY = "A line of a note that says what it is about, and a little more than that.\n".repeat(14);
const patient = { timeout: 300_000 };

export async function* rows(ctx) {
	const vault = join(ctx.folder(), "vault");
	mkdirSync(join(vault, "Box"), { recursive: true });
	for (let i = 0; i < NOTES; i++) writeFileSync(join(vault, "Box", `Note ${i}.md`), BODY);
	const longest = [];
	for (let i = 0; i < TIMES; i++) longest.push(await once(ctx, vault));
	yield [names[0], longest.sort((a, b) => a - b)[TIMES >> 1], "ms"];
}

/** The longest task of one review, from the action to the run's first calls. */
async function once(ctx, vault) {
	const data = { settings: { provider: "demo", maxCalls: 50_000, confirm: "always" } };
	const { page, close } = await ctx.playground({ vault, data });
	await page.waitForFunction(() => window.app.metadataCache.initialized, undefined, patient);
	await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
	await page.getByRole("textbox", { name: "Message" }).waitFor();
	const id = await page.evaluate(keepAction);
	await page.evaluate(watch);
	let longest = 0;
	const phase = async (name, work) => {
		await work();
		const task = await page.evaluate(settled);
		if (process.env.PHASES) console.error(`${name}: ${Math.round(task)} ms`);
		longest = Math.max(longest, task);
	};
	const review = page.getByRole("region", { name: "Plan" });
	await phase("open", async () => {
		await page.evaluate(open, id);
		await review.getByRole("button", { name: "Approve" }).waitFor(patient);
	});
	await phase("scroll", () => page.evaluate(scroll));
	await phase("unfold", async () => {
		await review.locator("button[data-row][aria-expanded=false]").first().click();
		await review.locator(".cm-content").first().waitFor(patient);
	});
	await phase("amend", async () => {
		await review.locator("input[data-row=box]").nth(2).click();
		await review.locator(".ea-file.is-dropped").first().waitFor(patient);
	});
	await phase("approve", async () => {
		await review.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("progressbar", { name: "Run progress" }).waitFor(patient);
	});
	await close();
	return longest;
}

/** In the page: keeps an action that adds a line to every note of a folder, and gives its id. */
async function keepAction() {
	const client = await window.app.plugins.plugins["embedded-agent"].core();
	const name = "Add a line";
	const steps = [
		{ id: "list", tool: "vault.listFiles", args: { folder: "Box" } },
		{
			id: "add",
			tool: "vault.appendFile",
			args: { path: "{note.path}", content: "One more line.\n" },
			foreach: { from: "$steps.list.files", itemName: "note" },
		},
	];
	const actions = [{ id: "", name, plan: { goal: name, assumptions: [], steps } }];
	const json = JSON.stringify({ format: "embedded-agent/actions", version: 1, actions });
	await client.request("actions.import", { json, confirm: true });
	return (await client.request("actions.list", {})).actions.find((action) => action.name === name).id;
}

/** In the page: has the browser note tasks of more than 50 ms. */
function watch() {
	window.tasks = [];
	new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) window.tasks.push(entry.duration);
	}).observe({ entryTypes: ["longtask"] });
}

/** In the page: what was begun is drawn; gives the longest task since the last time, 0 when none was over 50 ms. */
async function settled() {
	const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
	for (let i = 0; i < 10; i++) await frame();
	return Math.max(0, ...window.tasks.splice(0));
}

/** In the page: simulates the action until its review is there. */
async function open(id) {
	const client = await window.app.plugins.plugins["embedded-agent"].core();
	await new Promise((resolve, reject) => {
		const end = client.subscribe((event) => {
			if (event.turn?.problem || event.review?.problem)
				reject(new Error(JSON.stringify(event).slice(0, 2000)));
			if (event.type !== "review.opened") return;
			end();
			resolve();
		});
		client.request("actions.run", { id }).catch(reject);
	});
}

/** In the page: scrolls through the files to the end and back. */
async function scroll() {
	const around = document.querySelector(".ea-review").closest(".ea-scroll");
	for (let i = 0; i <= 40; i++) {
		const place = i <= 20 ? i : 40 - i;
		around.scrollTop = (around.scrollHeight * place) / 20;
		await new Promise((resolve) => requestAnimationFrame(() => resolve()));
	}
}
