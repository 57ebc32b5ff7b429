// A review of many files in Chromium: its tree, its filter, and that the keyboard is enough and never lost.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, type Look } from "../../../test/dev/build";
import { event, file, review, runState } from "../../../test/dev/fixtures";
import { many } from "../../../test/dev/review-scenes";
import { asked, modified, openStage, ready, settled, show, type Stage } from "../../../test/dev/stage";
import type { FileChange, Review } from "../../protocol";

describe.skipIf(!findChromium())("a review of many files", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	async function open(shown: Review, answers: Record<string, unknown> = {}, look: Look = {}): Promise<Page> {
		const page = await show(stage, [ready, event("review.opened", { review: shown })], look, answers);
		onTestFinished(() => page.context().close());
		return page;
	}

	const focused = (page: Page) =>
		page.evaluate(() => {
			const el = document.activeElement;
			if (!el || el === document.body) return "the page";
			if (el.matches(".ea-review")) return "the review";
			return (
				el.getAttribute("aria-label") ??
				el.querySelector(".ea-path-name, .ea-head-name")?.textContent ??
				el.textContent
			);
		});
	const list = (page: Page) => page.getByRole("list", { name: "Files that would change" });
	const rows = (page: Page) => list(page).locator(".ea-path-name, .ea-head-name").allInnerTexts();
	const drawn = (page: Page) =>
		page.evaluate(
			(shown) => window.dev.tell([shown]),
			event("review.changed", { review: review({ files: many(60) }) }),
		);

	it("is a tree by folder, with deletes and renames first, in natural order", async () => {
		const page = await open(review({ files: many(40) }), {}, { height: 2000 });
		expect((await rows(page)).slice(0, 9)).toEqual([
			"Deleted",
			"Inbox",
			"Scrap 9.md",
			"Scrap 10.md",
			"Renamed",
			"Archive/2024",
			"Old 2.md",
			"Old 10.md",
			"New and changed",
		]);
		await list(page)
			.getByRole("button", { name: /^Renamed/ })
			.click();
		expect((await rows(page)).slice(4, 6)).toEqual(["Renamed", "New and changed"]);
	});

	it("counts what the filter shows, and takes exactly that out and in", async () => {
		const files = many(60);
		const page = await open(review({ files }), { "review.amend": review({ files }) });
		await page.getByText("57 files, 3 folders").waitFor();
		await page.getByRole("searchbox", { name: "Filter files" }).fill("Scrap");
		await page.getByText("2 of 57 files").waitFor();
		await page.getByRole("button", { name: "Deleted 2" }).waitFor();
		await page.getByRole("button", { name: "Renamed 0" }).waitFor();
		await page.getByRole("button", { name: "Deselect all shown" }).click();
		expect(await asked(page, "review.amend")).toEqual([
			{ run: "r1", kind: "drop", paths: ["Inbox/Scrap 10.md", "Inbox/Scrap 9.md"] },
		]);
		await page.getByRole("searchbox", { name: "Filter files" }).fill("");
		const renamed = page.getByRole("group", { name: "Show only" }).getByRole("button", { name: "Renamed 2" });
		await renamed.focus();
		await page.keyboard.press("Enter");
		expect(await renamed.getAttribute("aria-pressed")).toBe("true");
		await page.getByText("2 of 57 files").waitFor();
		// Nothing shown is left out: there is nothing to take in.
		await page.getByRole("button", { name: "Select all shown", exact: true }).focus();
		await page.keyboard.press("Enter");
		expect(await asked(page, "review.amend")).toHaveLength(1);
		await renamed.click();
		await page.getByRole("button", { name: "Select none" }).click();
		const all = (await asked(page, "review.amend")).at(-1) as { paths: string[] };
		expect(all.paths).toHaveLength(60);
	});

	it("takes a folder or a kind out by its box, by keyboard, and shows where only a part is in", async () => {
		const files = many(60);
		const page = await open(review({ files }), { "review.amend": review({ files }) });
		const box = page.getByRole("checkbox", { name: "Include everything in Inbox" });
		await box.focus();
		await page.keyboard.press("Space");
		expect(await asked(page, "review.amend")).toEqual([
			{ run: "r1", kind: "drop", paths: ["Inbox", "Inbox/Scrap 9.md", "Inbox/Scrap 10.md"] },
		]);
		await page.keyboard.press("ArrowUp");
		await expect.poll(() => focused(page)).toBe("Include everything in Deleted");
		await page.evaluate(
			(e) => window.dev.tell([e]),
			event("review.changed", {
				review: review({ files: files.map((f) => (f.path.endsWith("9.md") ? { ...f, dropped: true } : f)) }),
			}),
		);
		expect(await box.evaluate((el: HTMLInputElement) => [el.checked, el.indeterminate])).toEqual([
			false,
			true,
		]);
	});

	it("goes from file to file by j and k, from anywhere in it, and opens one by Enter", async () => {
		const changed = (f: FileChange) => (f.path.endsWith("Old 2.md") ? { ...f, added: 1, removed: 1 } : f);
		const page = await open(review({ files: many(60).map(changed) }), { "review.file": modified });
		await page.getByRole("button", { name: "Dry run again" }).focus();
		for (const key of ["j", "j"]) await page.keyboard.press(key);
		await expect.poll(() => focused(page)).toBe("Scrap 9.md");
		await page.keyboard.press("j");
		await page.keyboard.press("j");
		await expect.poll(() => focused(page)).toBe("Old 2.md");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Reject change 1" }).focus();
		await page.keyboard.press("k");
		await expect.poll(() => focused(page)).toBe("Scrap 10.md");
		// What is typed stays text.
		await page.getByRole("searchbox", { name: "Filter files" }).focus();
		await page.keyboard.type("jk");
		expect(await page.getByRole("searchbox", { name: "Filter files" }).inputValue()).toBe("jk");
	});

	it.each(["Filter files", "Include everything in Deleted", "Edit plan", "Close"])(
		"is approved by Ctrl+Enter from %s",
		async (place) => {
			const page = await open(review({ files: many(60) }));
			const at = page.locator(".ea-review").locator(`[aria-label="${place}"], summary:text-is("${place}")`);
			if (place === "Close") await page.locator(".ea-review").focus();
			else await at.first().focus();
			await page.keyboard.press("Control+Enter");
			expect(await asked(page, "review.approve")).toEqual([{ run: "r1", approval: review().approval }]);
		},
	);

	it("approves nothing by Ctrl+Enter where there is nothing to approve", async () => {
		const page = await open(review({ dryRun: true, approvable: false }));
		await page.locator(".ea-review").focus();
		await page.keyboard.press("Control+Enter");
		expect(await asked(page, "review.approve")).toEqual([]);
	});

	it("never leaves the keyboard to the page: a button switched off, a row gone, the review gone", async () => {
		const page = await open(review({ files: many(60) }));
		const again = page.getByRole("button", { name: "Dry run again" });
		await again.focus();
		await page.evaluate(() => window.dev.controller.pending.set("review.amend", 1));
		await expect.poll(() => focused(page)).toBe("the review");
		await page.evaluate(() => window.dev.controller.pending.set("review.amend", 0));
		await expect.poll(() => focused(page)).toBe("Dry run again");

		await list(page).getByRole("button", { name: "Scrap 9.md" }).focus();
		await page.evaluate(
			(e) => window.dev.tell([e]),
			event("review.changed", { review: review({ files: [file("Other.md")] }) }),
		);
		await expect.poll(() => focused(page)).toBe("the review");

		await drawn(page);
		await page.getByRole("button", { name: "Approve" }).focus();
		await page.evaluate((e) => window.dev.tell([e]), event("run.state", { run: runState() }));
		await expect
			.poll(() => page.evaluate(() => document.activeElement?.classList.contains("ea-run")))
			.toBe(true);
	});

	it("leaves the keyboard where a person put it: beside everything", async () => {
		const page = await open(review({ files: many(60) }));
		await list(page).getByRole("button", { name: "Scrap 9.md" }).focus();
		await page.evaluate(() => {
			document.dispatchEvent(new PointerEvent("pointerdown"));
			(document.activeElement as HTMLElement).blur();
		});
		await drawn(page);
		await settled(page);
		expect(await focused(page)).toBe("the page");
	});

	it("offers a tab, and says in the panel that the review is there", async () => {
		const page = await open(review({ files: many(60) }));
		await page.getByRole("button", { name: "Open in a tab" }).click();
		expect(await page.evaluate(() => window.dev.app.heard.reviews)).toBe(1);
		await page.evaluate(() => void (window.dev.controller.tabs = 1));
		await page.getByText("The review is open in a tab.").waitFor();
		expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
		await page.getByRole("button", { name: "Show it here" }).click();
		expect(await page.evaluate(() => window.dev.app.heard.reviews)).toBe(0);
	});

	// How long that takes is measured by the benchmarks; a busy machine takes longer for the same.
	it("draws of ten thousand files what is in view, and a scroll draws no more than among five thousand", async () => {
		const cost = async (n: number) => {
			const page = await open(review());
			const drawn = await page.evaluate(
				async (e) => {
					const count = window.dev.changes();
					window.dev.tell([e]);
					await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
					return count();
				},
				event("review.opened", { review: review({ run: "r2", files: many(n) }) }),
			);
			expect(await list(page).getByRole("listitem").count()).toBeGreaterThan(5);
			const scrolled = await page.evaluate(async () => {
				const around = document.querySelector<HTMLElement>(".ea-scroll")!;
				const count = window.dev.changes();
				for (let i = 0; i < 90; i++) {
					around.scrollTop += 900;
					await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
				}
				return { changed: count(), top: around.scrollTop };
			});
			return { drawn, ...scrolled };
		};
		const [some, all] = [await cost(5000), await cost(10_000)];
		console.info(some, all);
		expect(all.drawn).toBeLessThan(1.2 * some.drawn);
		expect(all.changed).toBeLessThan(1.2 * some.changed);
		expect(all.top).toBeGreaterThan(80_000);
	}, 60_000);
});
