// How long a person waits in the panel: for the history of 1,000 runs, opened first
// after a start (target: 100 ms), and for each letter of its filter (50 ms); and for
// what they type below a conversation of 50 turns. Each also as a ratio to the same
// in a panel that has nothing yet.
import { median } from "../context.mjs";
import { prepare } from "../in-page.mjs";

export const names = [
	"history_1000_open",
	"history_1000_open_vs_empty",
	"history_1000_filter",
	"history_1000_filter_vs_empty",
	"typing_50_turns",
	"typing_50_turns_vs_empty",
];

const RUNS = Number(process.env.HISTORY_RUNS ?? 1000);
const TURNS = Number(process.env.TYPING_TURNS ?? 50);
const TIMES = 5;
const LETTERS = "a list of notes about compost";
const settings = { provider: "demo", confirm: "never", keepRuns: 10 * RUNS };

export async function* rows(ctx) {
	const wanted = (row) => names.some((name) => name.startsWith(row) && ctx.wanted(name));
	if (wanted("history")) yield* history(ctx);
	if (wanted("typing")) yield* typing(ctx);
}

async function* history(ctx) {
	const empty = await looks(ctx, 0);
	const full = await looks(ctx, RUNS);
	yield ["history_1000_open", full.open, "ms"];
	yield ["history_1000_open_vs_empty", full.open / empty.open, "x"];
	yield ["history_1000_filter", full.filter, "ms"];
	yield ["history_1000_filter_vs_empty", full.filter / empty.filter, "x"];
}

/** The times of a history of so many runs. */
async function looks(ctx, runs) {
	const { page, close } = await ctx.playground({ data: { settings } });
	await opened(page);
	await page.evaluate(makeRuns, runs);
	await page.evaluate(look); // what ended last is taken into the index
	const open = [];
	const filter = [];
	for (let i = 0; i < TIMES; i++) {
		await page.reload();
		await page.waitForSelector("body[data-ready]");
		await opened(page);
		const times = await page.evaluate(look);
		open.push(times.open);
		filter.push(...times.letters);
	}
	await close();
	return { open: median(open), filter: median(filter) };
}

async function* typing(ctx) {
	const { page, close } = await ctx.playground({ data: { settings } });
	await opened(page);
	await page.evaluate(type, LETTERS); // warms up
	const empty = median(await page.evaluate(type, LETTERS));
	const field = page.getByRole("textbox", { name: "Message" });
	for (let i = 0; i < TURNS; i++) {
		await page.evaluate(watchTurn);
		await field.fill("Search for compost");
		await field.press("Enter");
		await page.evaluate(() => window.turnEnded);
	}
	const full = median(await page.evaluate(type, LETTERS));
	await close();
	yield ["typing_50_turns", full, "ms"];
	yield ["typing_50_turns_vs_empty", full / empty, "x"];
}

/** Opens the panel, with its core at work. */
async function opened(page) {
	await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
	await page.getByRole("textbox", { name: "Message" }).waitFor();
	await prepare(page);
	await page.evaluate(() => window.bench.core().then((client) => client.request("state", {})));
}

/** In the page: makes a note by a run, so many times. */
async function makeRuns(runs) {
	const { bench } = window;
	const id = await bench.save("Make a note", bench.makeNotes(1, "Box"));
	for (let i = 0; i < runs; i++) await bench.run(id);
}

/** In the page: opens the history and types into its filter, and goes back. The times are those until it is drawn. */
async function look() {
	const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
	const button = (name) =>
		[...document.querySelectorAll(".ea-panel button")].find((b) =>
			[b.textContent.trim(), b.getAttribute("aria-label")].includes(name),
		);
	const client = await window.bench.core();
	const { request } = client;
	let answered;
	client.request = async (...args) => {
		const result = await request.apply(client, args);
		if (args[0] === "runs.list") setTimeout(() => answered());
		return result;
	};
	const timed = async (act) => {
		const began = performance.now();
		const listed = new Promise((resolve) => (answered = resolve));
		act();
		await listed;
		await drawn();
		return performance.now() - began;
	};
	const open = await timed(() => button("History").click());
	const field = document.querySelector(".ea-history input[type=search]");
	const letters = [];
	for (const text of ["m", "ma", "mak", "make", "make a"])
		letters.push(
			await timed(() => {
				field.value = text;
				field.dispatchEvent(new Event("input", { bubbles: true }));
			}),
		);
	client.request = request;
	button("Back").click();
	await drawn();
	return { open, letters };
}

/** In the page: `turnEnded` resolves when the next turn has. */
async function watchTurn() {
	const client = await window.bench.core();
	window.turnEnded = new Promise((resolve) => {
		const end = client.subscribe((event) => {
			if (event.type !== "turn.ended") return;
			end();
			setTimeout(resolve, 0);
		});
	});
}

/** In the page: types letters into the message and gives how long the app did not respond for each: the panel's own work, and the layout. */
async function type(letters) {
	const field = document.querySelector(".ea-panel textarea");
	const times = [];
	for (let i = 1; i <= letters.length; i++) {
		const began = performance.now();
		field.value = letters.slice(0, i);
		field.dispatchEvent(new InputEvent("input", { bubbles: true }));
		await new Promise((resolve) => {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = resolve;
			port2.postMessage(0);
		});
		field.closest(".ea-panel").getBoundingClientRect();
		times.push(performance.now() - began);
		await new Promise((resolve) => requestAnimationFrame(resolve));
	}
	field.value = "";
	field.dispatchEvent(new InputEvent("input", { bubbles: true }));
	return times;
}
