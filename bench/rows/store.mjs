// What it costs in Chromium to make the undo records of a window durable: 64 writes
// with 512 kB of bytes, as the core does it (the bytes to the pack, flushed, then the
// records to the journal, flushed), and against one write and one flush of the same
// bytes to one file. The core asks for a window while the writes of the one before
// are made, so a run waits for the first alone.
import { median } from "../context.mjs";

export const names = ["store_window_ms", "store_window_vs_one_flush"];

const TIMES = 5;
const WINDOWS = 40;

export async function* rows(ctx) {
	const { page, close } = await ctx.playground({ enabled: false });
	const rounds = [];
	for (let i = 0; i < TIMES; i++) rounds.push(await page.evaluate(inWorker, [`(${windows})()`, WINDOWS]));
	await close();
	yield [names[0], median(rounds.map(({ two }) => two)), "ms"];
	yield [names[1], median(rounds.map(({ two, one }) => two / one)), "x"];
}

/** In the page: has a worker of a blob's address, as the core's is, do it. */
function inWorker([script, count]) {
	const url = URL.createObjectURL(new Blob([script]));
	const worker = new Worker(url);
	return new Promise((resolve, reject) => {
		worker.onmessage = ({ data }) => resolve(data);
		worker.onerror = ({ message }) => reject(new Error(message));
		worker.postMessage(count);
	}).finally(() => {
		worker.terminate();
		URL.revokeObjectURL(url);
	});
}

/** In the worker: milliseconds for a window, with two files and with one; which comes first alternates. */
function windows() {
	onmessage = async ({ data: count }) => {
		const root = await navigator.storage.getDirectory();
		const names = ["bench.pack", "bench.jsonl", "bench.one"];
		const open = async (name) => (await root.getFileHandle(name, { create: true })).createSyncAccessHandle();
		const [pack, journal, one] = await Promise.all(names.map(open));
		const bytes = crypto.getRandomValues(new Uint8Array(64 << 10));
		const some = (size) => Uint8Array.from({ length: size }, (_, i) => bytes[i % bytes.length]);
		const [blobs, records, both] = [some(512 << 10), some(40 << 10), some(552 << 10)];
		const append = (file, data) => {
			file.write(data, { at: file.getSize() });
			file.flush();
		};
		const timed = (work) => {
			const began = performance.now();
			work();
			return performance.now() - began;
		};
		const asTwo = () => {
			append(pack, blobs);
			append(journal, records);
		};
		const asOne = () => append(one, both);
		const took = { two: 0, one: 0 };
		for (let i = 0; i < count; i++) {
			if (i % 2 === 0) took.two += timed(asTwo);
			took.one += timed(asOne);
			if (i % 2 === 1) took.two += timed(asTwo);
		}
		for (const file of [pack, journal, one]) file.close();
		for (const name of names) await root.removeEntry(name);
		postMessage({ two: took.two / count, one: took.one / count });
	};
}
