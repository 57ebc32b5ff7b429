// The answer of a plan that only reads, in Chromium: a table that a keyboard and a screen reader know as one.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium } from "../../../../test/dev/build";
import { answered, findingsScenes, kinds } from "../../../../test/dev/findings-scenes";
import { asked, openStage, settled, show, type Scene, type Stage } from "../../../../test/dev/stage";

describe.skipIf(!findChromium())("an answer", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	async function open(scene: Scene | undefined): Promise<Page> {
		const page = await show(stage, scene?.events ?? []);
		onTestFinished(() => page.context().close());
		await settled(page);
		return page;
	}

	const opened = (page: Page) => page.evaluate(() => window.dev.app.heard.opened);

	it("is a table with a caption, whose rows are drawn as they are seen and read as text", async () => {
		const page = await open(findingsScenes["answer-thousands"]);
		const table = page.getByRole("table", { name: "1,500 notes mention “compost”, in 3,000 places." });
		expect(await table.getAttribute("aria-rowcount")).toBe("3001");
		expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(["Note", "Text"]);
		expect(await table.getByRole("row").count()).toBeLessThan(80);
		expect(await table.locator("b, strong, a").count()).toBe(0);
		await table.getByText("Compost <b>number</b> 0, and **more**").waitFor();
		await page.locator(".ea-rows").evaluate((el) => el.scrollTo(0, el.scrollHeight));
		await settled(page);
		await settled(page);
		expect(await table.getByRole("row").last().getAttribute("aria-rowindex")).toBe("3001");
		expect(await table.getByRole("row").count()).toBeLessThan(80);
	});

	it("opens notes at their lines, by the keyboard too", async () => {
		const page = await open(findingsScenes["answer-thousands"]);
		await page.getByRole("table").getByRole("button", { name: /Beds/ }).first().focus();
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.keyboard.press("End");
		await page.keyboard.press("Enter");
		expect(await opened(page)).toEqual([
			"Garden 1/Beds and their compost 3000.md:2",
			"Garden 3/Beds and their compost 1501.md:3000",
		]);
	});

	it("is sorted by a column, up, down and back, and says so", async () => {
		const page = await open(answered([kinds]));
		const names = () =>
			page
				.getByRole("cell")
				.getByRole("button")
				.evaluateAll((all) => all.map((el) => el.getAttribute("title")));
		const size = page.getByRole("columnheader", { name: "size" });
		const press = async () => {
			await size.getByRole("button").click();
			await settled(page);
			return [await size.getAttribute("aria-sort"), ...(await names())];
		};
		expect(await press()).toEqual(["ascending", "Shed/Tools.md", "Rain barrel.md"]);
		expect(await press()).toEqual(["descending", "Rain barrel.md", "Shed/Tools.md"]);
		expect(await press()).toEqual(["none", "Rain barrel.md", "Shed/Tools.md"]);
	});

	it("becomes a note as it is seen, by one press", async () => {
		const page = await open(answered([kinds]));
		await page.getByRole("columnheader", { name: "size" }).getByRole("button").click();
		await page.getByRole("button", { name: "Save as note" }).click();
		expect(await asked(page, "findings.note")).toMatchObject([
			{
				title: "Which notes mention compost?",
				parts: [
					{
						text: "2 notes were found.",
						columns: ["Note", "Modified", "Tags", "size", "due date"],
						rows: [
							[{ path: "Shed/Tools.md" }, {}, {}, {}, {}],
							[{ path: "Rain barrel.md" }, {}, {}, {}, {}],
						],
					},
				],
			},
		]);
	});

	it("is copied as it is seen, as text and as rich text in which nothing is markup", async () => {
		const hostile = {
			...kinds,
			rows: [[{ text: "a|b <b>x</b>", path: "" }, ...(kinds.rows?.[1] ?? []).slice(1)]],
		};
		for (const parts of [[kinds], [hostile]]) {
			const page = await open(answered(parts));
			await page.getByRole("columnheader", { name: "size" }).getByRole("button").click();
			await page.getByRole("button", { name: "Copy", exact: true }).click();
			const { copied, rich, notices } = await page.evaluate(() => window.dev.app.heard);
			expect(notices).toEqual(["Copied."]);
			const [text = "", html = ""] = [copied[0], rich[0]];
			const cells = await page.evaluate((html) => {
				const doc = new DOMParser().parseFromString(html, "text/html");
				const rows = [...doc.querySelectorAll("tr")].map((row) =>
					[...row.children].map((c) => c.textContent),
				);
				return { rows, elements: doc.body.querySelectorAll("b, a, img, script").length };
			}, html);
			expect(cells.elements).toBe(0);
			if (parts[0] === kinds) {
				expect(text.split("\n").filter((line) => line.startsWith("|"))).toEqual([
					"| Note | Modified | Tags | size | due date |",
					"| --- | --- | --- | --- | --- |",
					"| Tools | 2026-10-01T08:30:00 |  | 90 | soon |",
					"| Rain barrel | 2026-11-20T10:00:00 | #garden, #water | 1200 |  |",
				]);
				expect(cells.rows.map((row) => row[0])).toEqual(["Note", "Tools", "Rain barrel"]);
			} else {
				expect(text).toContain("| a\\|b <b>x</b> |");
				expect(cells.rows[1]?.[0]).toBe("a|b <b>x</b>");
			}
		}
	});

	it("is a sentence where nothing was found, with nothing to save and no JSON in sight", async () => {
		const page = await open(findingsScenes["answer-none"]);
		await page.getByText("No notes mention “compost”.").waitFor();
		expect(await page.getByRole("table").count()).toBe(0);
		expect(await page.getByRole("button", { name: "Save as note" }).count()).toBe(0);
		expect(await page.getByText('"goal"').isVisible()).toBe(false);
		await page.getByText("Details").click();
		expect(await page.getByText('"goal"').isVisible()).toBe(true);
	});

	it("that was kept in part says so, and finds all of it again", async () => {
		const page = await open(findingsScenes["answer-kept"]);
		await page.getByText("Only the first 40 of 3,000 rows were kept.").waitFor();
		await page.getByRole("button", { name: "Show all" }).click();
		expect(await asked(page, "review.open")).toEqual([{ plan: '{"goal":"Find","steps":[]}' }]);
	});

	it("is kept as an action of the person's own, also where no run has its plan", async () => {
		const page = await open(findingsScenes["answer-one"]);
		await page.getByRole("button", { name: "Save as action" }).click();
		await page.getByRole("textbox", { name: "Name" }).fill("Compost");
		await page.keyboard.press("Enter");
		expect(await asked(page, "actions.save")).toMatchObject([
			{ name: "Compost", plan: '{"goal":"Find","steps":[]}' },
		]);
	});
});
