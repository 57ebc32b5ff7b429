// A long list in Chromium, looked at after every frame: rows never lie on one another, and what is read stays in its place.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, type Look } from "../../../test/dev/build";
import { event, file, review } from "../../../test/dev/fixtures";
import { misfits } from "../../../test/dev/fit";
import { openStage, ready, settled, show, type Stage } from "../../../test/dev/stage";

/** Rows of one to four lines, in no regular order. */
const files = Array.from({ length: 400 }, (_, n) =>
	file(`Folder ${n % 7}/Note ${n}${n % 2 ? " and more of its name" : ""}.md`, {
		...(n % 3 ? {} : { runs: 1, loads: 1 }),
		...(n % 5 ? {} : { edited: true, undoable: false, alike: "Note" }),
	}),
);

describe.skipIf(!findChromium())("a long list", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	/** The panel with nothing in it, and everything that is painted watched. */
	async function open(look: Look = {}): Promise<Page> {
		const page = await show(stage, [ready], { width: 300, ...look });
		onTestFinished(() => page.context().close());
		await page.evaluate(watch);
		return page;
	}

	const tell = (page: Page, shown = files) =>
		page.evaluate((e) => window.dev.tell([e]), event("review.opened", { review: review({ files: shown }) }));

	/** Scrolls the panel to a place, and waits until it is drawn. */
	async function scrollTo(page: Page, y: number): Promise<void> {
		await page.evaluate((top) => document.querySelector(".ea-scroll")?.scrollTo(0, top), y);
		await settled(page);
	}

	/** The heights of the rows that are drawn. */
	const heights = (page: Page) =>
		page.evaluate(() =>
			[...document.querySelectorAll<HTMLElement>(".ea-list-row")].map((r) => r.offsetHeight),
		);

	it("never paints a row over the next, while it is drawn, scrolled, filtered and given another width", async () => {
		const page = await open();
		await tell(page);
		await settled(page);
		expect(new Set(await heights(page)).size).toBeGreaterThan(2);
		for (let y = 0; y < 16_000; y += 800) await scrollTo(page, y);
		for (const width of [760, 420, 300]) {
			await page.setViewportSize({ width, height: 800 });
			await settled(page);
		}
		await scrollTo(page, 0);
		const filter = page.getByRole("searchbox", { name: "Filter files" });
		await filter.fill("more");
		await settled(page);
		await filter.fill("");
		await settled(page);
		expect(await page.evaluate(() => window.watched.frames)).toBeGreaterThan(30);
		expect(await page.evaluate(() => window.watched.overlaps)).toEqual([]);
		expect(await misfits(page)).toEqual([]);
	});

	it("never paints a row over the next while the letters grow", async () => {
		const page = await open();
		await tell(page);
		await scrollTo(page, 3000);
		const before = await heights(page);
		for (const size of ["18px", "24px", "13px"]) {
			await page.evaluate((px) => {
				for (const name of ["smaller", "small", "medium"])
					document.body.style.setProperty(`--font-ui-${name}`, px);
			}, size);
			await settled(page);
			if (size === "24px") expect(await heights(page)).not.toEqual(before);
		}
		expect(await page.evaluate(() => window.watched.overlaps)).toEqual([]);
		expect(await misfits(page)).toEqual([]);
	});

	it("leaves what is read where it is when rows above it turn out higher", async () => {
		const page = await open();
		await tell(page);
		// Nothing above this place has been drawn, so what is above is an estimate.
		await scrollTo(page, 8000);
		await settled(page);
		const jumps: number[] = [];
		for (let up = 0; up < 60; up++) jumps.push(await page.evaluate(step, -40));
		expect(jumps.filter((by) => Math.abs(by) > 1)).toEqual([]);
		expect(await page.evaluate(() => window.watched.overlaps)).toEqual([]);
	});

	it("leaves what is read where it is when the window becomes narrower", async () => {
		const page = await open({ width: 760 });
		await tell(page);
		await scrollTo(page, 6000);
		const read = () =>
			page.evaluate(() => {
				const around = document.querySelector(".ea-scroll")!.getBoundingClientRect();
				const rows = [...document.querySelectorAll<HTMLElement>(".ea-list-row")];
				return Number(
					rows.find((row) => row.getBoundingClientRect().bottom > around.top + 1)?.dataset["index"],
				);
			});
		const first = await read();
		expect(first).toBeGreaterThan(100);
		for (const width of [300, 420, 760]) {
			await page.setViewportSize({ width, height: 800 });
			await settled(page);
			await settled(page);
			expect(Math.abs((await read()) - first), `at ${width}`).toBeLessThanOrEqual(1);
		}
	});
});

interface Watched {
	frames: number;
	overlaps: string[];
}

declare global {
	interface Window {
		watched: Watched;
	}
}

/**
 * In the page: notes which rows lie over the next, after every frame and after
 * every change, since a frame may come late on a busy machine.
 */
function watch(): void {
	const watched: Watched = (window.watched = { frames: 0, overlaps: [] });
	const compare = () => {
		const rows = [...document.querySelectorAll<HTMLElement>(".ea-list-row")];
		rows.sort((a, b) => Number(a.dataset["index"]) - Number(b.dataset["index"]));
		rows.forEach((row, i) => {
			const next = rows[i + 1];
			const over = next ? row.getBoundingClientRect().bottom - next.getBoundingClientRect().top : 0;
			if (over > 1) watched.overlaps.push(`${row.dataset["index"]} by ${Math.round(over)}`);
		});
	};
	new MutationObserver(compare).observe(document.body, { subtree: true, childList: true, attributes: true });
	const after = new MessageChannel();
	after.port1.onmessage = () => {
		watched.frames++;
		compare();
		requestAnimationFrame(look);
	};
	// A message that is sent in a frame comes when that frame has been watched.
	const look = () => after.port2.postMessage(null);
	requestAnimationFrame(look);
}

/** In the page: scrolls by some pixels, and gives how much further than that the row in the middle went. */
async function step(by: number): Promise<number> {
	const around = document.querySelector(".ea-scroll")!;
	const { top, height } = around.getBoundingClientRect();
	const row = document.elementFromPoint(100, top + height / 2)?.closest(".ea-list-row");
	if (!row) return NaN;
	const before = row.getBoundingClientRect().top;
	around.scrollTop += by;
	for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
	return row.getBoundingClientRect().top - before + by;
}
