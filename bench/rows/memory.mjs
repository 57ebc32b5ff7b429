// The memory of the page's process after 150 runs, each taken back and looked up
// in the history, against the same after 10; and after the plugin was switched off
// and on 50 times with its core started, against 10 times (targets: 1.1). By the
// operating system's count of the process, which has the core's memory in it; so
// where there is no /proc, the rows are skipped.
import { readFileSync, readdirSync } from "node:fs";
import { prepare } from "../in-page.mjs";

export const names = ["page_memory_150_runs_vs_10", "page_memory_50_times_on_vs_10"];

const NOTES = 10;

export async function* rows(ctx) {
	for (const [name, of] of [
		[names[0], runs],
		[names[1], timesOn],
	]) {
		if (!ctx.wanted(name)) continue;
		yield process.platform === "linux" ? [name, await of(ctx), "x"] : [name, "skipped", ""];
	}
}

/** The growth from the 10th to the 150th run. */
async function runs(ctx) {
	const { page, close } = await ctx.playground();
	await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
	await page.getByRole("textbox", { name: "Message" }).waitFor();
	await prepare(page);
	await page.evaluate(saveAction, NOTES);
	const history = page.getByRole("button", { name: "History" });
	const growth = await grown(page, 150, async () => {
		await page.evaluate(runAndRevert);
		await history.click();
		await page.locator(".ea-runs li").first().waitFor();
		await page.getByRole("button", { name: "Back", exact: true }).click();
		await page.getByRole("textbox", { name: "Message" }).waitFor();
	});
	await close();
	return growth;
}

/** The growth from the 10th to the 50th time that the plugin is switched on and its core has answered. */
async function timesOn(ctx) {
	const { page, close } = await ctx.playground();
	const growth = await grown(page, 50, async () => {
		await page.evaluate(() => window.app.plugins.disablePlugin("embedded-agent"));
		await page.evaluate(() => window.app.plugins.enablePlugin("embedded-agent"));
		await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
		await page.getByRole("region", { name: "Saved actions" }).getByRole("listitem").first().waitFor();
	});
	await close();
	return growth;
}

/** Does something so many times; gives the memory after the last, against that after the tenth. */
async function grown(page, times, once) {
	const renderer = await rendererOf(page);
	const memory = {};
	for (let n = 1; n <= times; n++) {
		await once();
		if (n === 10 || n === times || (process.env.TRACE_MEMORY && n % 10 === 0)) {
			memory[n] = await settledMemory(page, renderer);
			if (process.env.TRACE_MEMORY) console.error(n, JSON.stringify(memory[n]));
		}
	}
	return memory[times].rss / memory[10].rss;
}

/** The process that draws the page: the one of the browser's that grows when the page takes memory. */
async function rendererOf(page) {
	const browser = await page.context().browser().newBrowserCDPSession();
	const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
	await browser.detach();
	const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
	const largest = renderers.sort((a, b) => rss(b) - rss(a))[0];
	if (largest === undefined) throw new Error(`no renderer among ${readdirSync("/proc").length} processes`);
	return largest;
}

/** Bytes of a process that are its own. */
function rss(pid) {
	const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
	const kb = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)[1]);
	return 1024 * (kb("Private_Dirty") + kb("Private_Clean"));
}

/** What the process holds once the engine has collected what it can. */
async function settledMemory(page, pid) {
	const session = await page.context().newCDPSession(page);
	const before = rss(pid);
	for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
	await collectInWorkers(session);
	const { nodes, documents, jsEventListeners } = await session.send("Memory.getDOMCounters");
	const heap = (await session.send("Runtime.getHeapUsage")).usedSize;
	await session.detach();
	return { rss: rss(pid), before, heap, nodes, documents, jsEventListeners };
}

/** A worker has a heap of its own, which collecting the page's leaves as it is. */
async function collectInWorkers(session) {
	const workers = [];
	session.on("Target.attachedToTarget", ({ sessionId }) => workers.push(sessionId));
	await session.send("Target.setAutoAttach", {
		autoAttach: true,
		waitForDebuggerOnStart: false,
		flatten: false,
	});
	for (const sessionId of workers) {
		for (let id = 1; id <= 3; id++)
			await askWorker(session, sessionId, { id, method: "HeapProfiler.collectGarbage" });
	}
}

/** Sends a worker a message of the protocol, and waits for its answer. */
function askWorker(session, sessionId, message) {
	return new Promise((done) => {
		const hear = (from) => {
			if (from.sessionId !== sessionId || JSON.parse(from.message).id !== message.id) return;
			session.off("Target.receivedMessageFromTarget", hear);
			done();
		};
		session.on("Target.receivedMessageFromTarget", hear);
		void session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify(message) });
	});
}

/** In the page: an action that makes notes. */
async function saveAction(notes) {
	const { bench } = window;
	bench.action = await bench.save("Bench", bench.makeNotes(notes, "Bench"));
}

/** In the page: one run, taken back. */
async function runAndRevert() {
	const { bench } = window;
	const run = await bench.run(bench.action);
	await (await bench.core()).request("run.revert", { run });
}
