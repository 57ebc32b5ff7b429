// How long the app does not respond while the review of a plan that changes
// REVIEW_NOTES notes (10,000) is made, drawn, scrolled, unfolded, amended and
// approved (target: 50 ms), as the browser reports long tasks: in the playground,
// with the real bridge and panel. PHASES=1 tells the longest of each of these.
// review_10000_first_rows is the time from the end of the simulation, when the page
// hears of the review, to the frame that shows its first files (target: 200 ms);
// review_10000_frame is the middle time of a frame while its files are scrolled
// (target: 60 frames a second). Both are given as a ratio, too: to the same times of
// a page with nothing but as many plain lines as are in sight, in the same browser.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../context.mjs";

export const names = [
	"longest_task_review_10000",
	"review_10000_first_rows",
	"review_10000_first_rows_ratio",
	"review_10000_frame",
	"review_10000_frame_ratio",
];

const NOTES = Number(process.env.REVIEW_NOTES ?? 10_000);
const TIMES = Number(process.env.TIMES ?? 3);
const BODY = "A line of a note that says what it is about, and a little more than that.\n".repeat(14);
const patient = { timeout: 300_000 };

export async function* rows(ctx) {
	const vault = join(ctx.folder(), "vault");
	mkdirSync(join(vault, "Box"), { recursive: true });
	for (let i = 0; i < NOTES; i++) writeFileSync(join(vault, "Box", `Note ${i}.md`), BODY);
	const plain = await empty(ctx);
	const times = [];
	for (let i = 0; i < TIMES; i++) times.push(await once(ctx, vault));
	const middle = (of) => median(times.map((time) => time[of]));
	yield [names[0], middle("longest"), "ms"];
	yield [names[1], middle("rows"), "ms"];
	yield [names[2], middle("rows") / plain.rows, "x"];
	yield [names[3], middle("frame"), "ms"];
	yield [names[4], middle("frame") / plain.frame, "x"];
}

/** The same two times of a page of plain lines. */
async function empty(ctx) {
	const page = await (await ctx.browser()).newPage();
	await page.setContent('<div id="box" style="height:600px;overflow:auto"></div>');
	const rows = await page.evaluate(async () => {
		const begun = performance.now();
		document
			.querySelector("#box")
			.append(
				...Array.from({ length: 40 }, (_, n) =>
					Object.assign(document.createElement("p"), { textContent: `Note ${n}` }),
				),
			);
		await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
		return performance.now() - begun;
	});
	const frame = median(await page.evaluate(scroll, "#box"));
	await page.close();
	return { rows, frame };
}

/** The times of one review, from the action to the run's first calls. */
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
	let rows = 0;
	await phase("open", async () => {
		rows = await page.evaluate(open, id);
		await review.getByRole("button", { name: "Approve" }).waitFor(patient);
	});
	let frame = 0;
	await phase("scroll", async () => {
		frame = median(await page.evaluate(scroll, ".ea-scroll"));
	});
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
	return { longest, rows, frame };
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

/** In the page: simulates the action until its review is there, and gives the time to its first files. */
async function open(id) {
	const client = await window.app.plugins.plugins["embedded-agent"].core();
	const begun = await new Promise((resolve, reject) => {
		const end = client.subscribe((event) => {
			if (event.turn?.problem || event.review?.problem)
				reject(new Error(JSON.stringify(event).slice(0, 2000)));
			if (event.type !== "review.opened") return;
			end();
			resolve(performance.now());
		});
		client.request("actions.run", { id }).catch(reject);
	});
	while (!document.querySelector(".ea-review .ea-file")) {
		await new Promise((resolve) => requestAnimationFrame(() => resolve()));
	}
	await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
	return performance.now() - begun;
}

/** In the page: scrolls to the end and back, and gives the time of each frame. */
async function scroll(selector) {
	const around = document.querySelector(selector);
	const times = [];
	let last = performance.now();
	for (let i = 0; i <= 40; i++) {
		const place = i <= 20 ? i : 40 - i;
		around.scrollTop = (around.scrollHeight * place) / 20;
		await new Promise((resolve) => requestAnimationFrame(() => resolve()));
		times.push(performance.now() - last);
		last = performance.now();
	}
	return times;
}
