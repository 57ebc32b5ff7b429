// The review in Chromium: what is shown of each file, and that a keyboard is enough.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, type Look } from "../../../test/dev/build";
import { event, file, fileView, review } from "../../../test/dev/fixtures";
import { misfits } from "../../../test/dev/fit";
import { asked, mixed, modified, openStage, ready, settled, show, type Stage } from "../../../test/dev/stage";
import type { Review } from "../../protocol";

const path = "Inbox/Ideas for the garden.md";

describe.skipIf(!findChromium())("the review", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	/** The panel with a review open in it. */
	async function open(shown: Review, answers: Record<string, unknown> = {}, look: Look = {}): Promise<Page> {
		const page = await show(stage, [ready, event("review.opened", { review: shown })], look, answers);
		onTestFinished(() => page.context().close());
		return page;
	}

	const changed = (page: Page, next: Review) =>
		page.evaluate((e) => window.dev.tell([e]), event("review.changed", { review: next }));

	const lines = (page: Page) => page.locator(".cm-line").allInnerTexts();

	it("shows a new file as added lines, with nothing taken out of the empty file before", async () => {
		const note = "Projects/XYZ/Note 3.md";
		const page = await open(review(), { "review.file": fileView(note) });
		await page.getByRole("button", { name: /Note 3\.md/ }).click();
		await page.getByRole("textbox", { name: `${note} after` }).waitFor();
		expect(await lines(page)).toEqual(["# Compost", "\n", "Turn it every second week.", "\n"]);
		expect(await page.locator(".cm-deletedChunk").count()).toBe(0);
		expect(await page.locator(".ea-all-added").count()).toBe(1);
	});

	it("keeps rows of different heights apart, also while the list is filtered and scrolled", async () => {
		// Every third row has badges that do not fit beside its name.
		const files = Array.from({ length: 300 }, (_, n) =>
			file(`Note ${n}${n % 2 ? " and more" : ""}.md`, n % 3 ? {} : { runs: 1, loads: 1, edited: true }),
		);
		const page = await open(review({ files }), {}, { width: 300 });
		await settled(page);
		expect(await misfits(page)).toEqual([]);
		const heights = () =>
			page.evaluate(() =>
				[...document.querySelectorAll<HTMLElement>(".ea-list-row")].map((r) => r.offsetHeight),
			);
		expect(new Set(await heights()).size).toBeGreaterThan(1);
		await page.getByRole("searchbox", { name: "Filter files" }).fill("more");
		await settled(page);
		expect(await misfits(page)).toEqual([]);
		await page.getByRole("searchbox", { name: "Filter files" }).fill("");
		await page.evaluate(() => document.querySelector(".ea-scroll")?.scrollTo(0, 4000));
		await settled(page);
		await settled(page);
		expect(await misfits(page)).toEqual([]);
	}, 60_000);

	it("says what a limit of the plan cuts, and takes all of it in by one press", async () => {
		const [first, ...rest] = review().steps;
		if (!first) throw new Error("no step");
		const cut = review({
			steps: [{ ...first, text: "Notes", cut: { shown: 1000, total: 3000, all: true } }, ...rest],
		});
		const page = await open(cut, { "review.amend": review() });
		await page.getByText("“Notes” takes 1,000 of 3,000").waitFor();
		await page.getByRole("button", { name: "Include all" }).click();
		expect(await asked(page, "review.amend")).toEqual([{ run: "r1", kind: "all", step: first.id }]);
	});

	it.each([
		{ width: 300, theme: "light" },
		{ width: 760, theme: "dark" },
	] as const)(
		"lists what is left out by reason, with the names behind it, at $width in $theme",
		async (look) => {
			const [first, ...rest] = review().steps;
			if (!first) throw new Error("no step");
			const items = Array.from({ length: 20 }, (_, n) => ({
				name: `Projects/Garden/Note with a long name ${n}.md`,
			}));
			const leftOut = {
				step: first.id,
				name: "Add the tag",
				count: 21,
				total: 1103,
				groups: [
					{ reason: { key: "skip.front" }, items },
					{
						reason: { key: "skip.error" },
						items: [{ name: "Old.md", why: { key: "error.vault.exists", params: { path: "Old.md" } } }],
					},
				],
			};
			const page = await open(review({ steps: [{ ...first, leftOut }, ...rest] }), {}, look);
			await page.getByText("Left out by “Add the tag”: 21 of 1,103").waitFor();
			await page.getByText("Its properties are not valid YAML (20)").click();
			await page.getByText("Note with a long name 19.md").waitFor();
			await page.getByText("It failed (1)").click();
			await page.getByText("Old.md: “Old.md” already exists.").waitFor();
			expect(await misfits(page)).toEqual([]);
		},
	);

	it.each([
		{ width: 300, theme: "dark" },
		{ width: 760, theme: "light" },
	] as const)(
		"says with a step how it was read and what its condition came to, at $width in $theme",
		async (look) => {
			const [first, ...rest] = review().steps;
			if (!first) throw new Error("no step");
			const taken = { field: "args", from: "a_rather_long_name_of_an_argument", to: "path" };
			const notes = [
				{ key: "review.taken", params: taken },
				{ key: "review.met", params: { when: "due < today", n: "7", total: "10" } },
			];
			const page = await open(review({ steps: [{ ...first, notes }, ...rest] }), {}, look);
			await page.locator(".ea-steps > summary").click();
			await page.getByText("args: a_rather_long_name_of_an_argument was taken as path.").waitFor();
			await page.getByText("Only where due < today: 7 of 10.").waitFor();
			expect(await misfits(page)).toEqual([]);
		},
	);

	it("shows a file that goes to the trash as it is, all of it gone", async () => {
		const view = fileView("Inbox/Scrap.md", {
			status: "trash",
			before: "Old.\nOlder.",
			after: "",
			hunks: [],
		});
		const page = await open(mixed, { "review.file": view });
		await page.getByRole("button", { name: /Scrap\.md/ }).click();
		await page.getByRole("textbox", { name: "Inbox/Scrap.md before" }).waitFor();
		expect(await lines(page)).toEqual(["Old.", "Older."]);
		expect(await page.locator(".ea-all-removed").count()).toBe(1);
		expect(await page.getByRole("button", { name: "Edit text" }).count()).toBe(0);
	});

	it("stands side by side where there is room, and in one column where there is not", async () => {
		const page = await open(mixed, { "review.file": modified }, { width: 900 });
		await page.getByRole("button", { name: /Ideas for the garden/ }).click();
		await page.getByRole("textbox", { name: `${path} before` }).waitFor();
		expect(await page.locator(".cm-mergeView").count()).toBe(1);
		await page.setViewportSize({ width: 420, height: 800 });
		await expect.poll(() => page.locator(".cm-mergeView").count()).toBe(0);
		await page.locator(".cm-deletedChunk").first().waitFor();
	});

	it("is gone through by keyboard alone: rows, boxes, a diff, a hunk, and the yes", async () => {
		const page = await open(mixed, { "review.file": modified, "review.amend": mixed });
		const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
		await page.getByRole("checkbox", { name: "Include Projects/XYZ", exact: true }).focus();
		for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
		// From box to box: the column is kept.
		await expect.poll(focused).toBe("Include Projects/XYZ/Note 1.md");
		await page.keyboard.press("Space");
		expect(await asked(page, "review.amend")).toEqual([
			{ run: "r1", kind: "drop", path: "Projects/XYZ/Note 1.md" },
		]);
		await expect.poll(focused).toBe("Include Projects/XYZ/Note 1.md");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Home");
		for (let down = 0; down < 2; down++) await page.keyboard.press("ArrowDown");
		const name = () => page.evaluate(() => document.activeElement?.textContent ?? "");
		await expect.poll(name).toContain("Ideas for the garden.md");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Reject change 1" }).waitFor();
		await page.keyboard.press("Tab");
		for (let tab = 0; tab < 4 && (await focused()) !== "Reject change 1"; tab++)
			await page.keyboard.press("Tab");
		expect(await focused()).toBe("Reject change 1");
		const hunks = modified.hunks.map((hunk, i) => ({ ...hunk, rejected: i === 0 }));
		const after = modified.after.replaceAll(/\[\[|\]\]/g, "");
		await page.evaluate((answers) => void Object.assign(window.dev.answers, answers), {
			"review.amend": { ...mixed, approval: "a2" },
			"review.file": { ...modified, hunks, after },
		});
		await page.keyboard.press("Enter");
		expect((await asked(page, "review.amend")).at(-1)).toEqual({
			run: "r1",
			kind: "hunks",
			path,
			rejected: [0],
		});
		// The hunk is another one now, and the keyboard is still there.
		await expect.poll(focused).toBe("Reject change 1");
		const pressed = (name: string) => page.getByRole("button", { name }).getAttribute("aria-pressed");
		expect([await pressed("Keep change 1"), await pressed("Reject change 1")]).toEqual(["false", "true"]);
		expect([await pressed("Keep change 2"), await pressed("Reject change 2")]).toEqual(["true", "false"]);
		for (let tab = 0; tab < 20 && (await name()) !== "Approve"; tab++) await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		expect(await asked(page, "review.approve")).toEqual([{ run: "r1", approval: "a2" }]);
	});

	it("folds what does not change, and opens a fold by keyboard, on both sides at once", async () => {
		const text = (word: string) => `${word}\n${"same\n".repeat(40)}`;
		const view = { ...modified, before: text("old"), after: text("new"), hunks: [] };
		const page = await open(mixed, { "review.file": view }, { width: 900 });
		await page.getByRole("button", { name: /Ideas for the garden/ }).click();
		const folds = page.getByRole("button", { name: "39 unchanged lines" });
		await expect.poll(() => folds.count()).toBe(2);
		expect(await lines(page)).toHaveLength(2 * 3);
		await folds.first().focus();
		await page.keyboard.press("Enter");
		await expect.poll(() => folds.count()).toBe(0);
		expect((await lines(page)).length).toBeGreaterThan(40);
	});

	it("keeps what is being written while another file is left out", async () => {
		const page = await open(mixed, { "review.file": modified });
		await page.getByRole("button", { name: /Ideas for the garden/ }).click();
		await page.getByRole("button", { name: "Edit text" }).click();
		const text = page.getByRole("textbox", { name: `${path} after` });
		await text.press("Control+End");
		await text.pressSequentially("Unfinished");
		await changed(page, { ...mixed, approval: "a2" });
		await settled(page);
		expect(await text.innerText()).toContain("Unfinished");
		await page.getByRole("button", { name: "Discard the change" }).click();
		await expect.poll(() => text.innerText()).not.toContain("Unfinished");
	});

	it("counts follow what the core says after every change", async () => {
		const page = await open(mixed);
		const plan = page.getByRole("region", { name: "Plan" });
		await plan.getByText("13 calls", { exact: true }).waitFor();
		await changed(page, {
			...mixed,
			approval: "a2",
			calls: 12,
			files: mixed.files.slice(0, 5),
			amended: true,
		});
		await plan.getByText("12 calls", { exact: true }).waitFor();
		await plan.getByText("Changed by you").waitFor();
		expect(await plan.getByRole("checkbox").count()).toBe(5);
	});

	it("shows a script of the plan line by line", async () => {
		const step = {
			id: "sort",
			tool: "code.run",
			text: "Sort the tasks",
			calls: 1,
			args: JSON.stringify({ script: "def main(x):\n    return sorted(x)\n", input: "$steps.tasks.items" }),
			simulable: true,
			undoable: true,
		};
		const page = await open(review({ steps: [step] }));
		await page.getByText("1 step of the plan").click();
		expect(await page.locator(".ea-step-text").innerText()).toMatch(/code\.run\s+once$/);
		await page.getByText("Arguments").click();
		const script = page.getByRole("region", { name: "code.run: script" });
		expect(await script.innerText()).toBe("def main(x):\n    return sorted(x)\n");
	});

	it("draws the paths behind a line of the summary as far as they are scrolled, down to the last", async () => {
		const unfold = async (n: number) => {
			const paths = Array.from({ length: n }, (_, i) => `Box/Note ${i}.md`);
			const text = { key: "review.modify", params: { n: String(n) } };
			const page = await open(review({ summary: [{ tone: "modify", text, paths }] }));
			await page.locator(".ea-summary summary").click();
			const rows = page.locator(".ea-paths li");
			await rows.first().waitFor();
			expect(await rows.first().getAttribute("aria-setsize")).toBe(String(n));
			return { page, rows };
		};
		const { rows: many } = await unfold(10_000);
		expect(await many.count()).toBeLessThan(200);
		const { page, rows } = await unfold(250);
		await expect
			.poll(async () => {
				await page.locator(".ea-paths").evaluate((el) => {
					el.scrollTop = el.scrollHeight;
				});
				return rows.last().textContent();
			})
			.toBe("Box/Note 249.md");
	});

	it("stays fluid with a thousand files: few exist, and a box pressed among them costs little", async () => {
		const files = Array.from({ length: 1000 }, (_, n) =>
			file(`Notes/Note ${n}.md`, { status: "modify", added: n % 7, removed: n % 3 }),
		);
		const page = await open(review({ files }), { "review.file": modified });
		const list = page.getByRole("list", { name: "Files that would change" });
		const rows = () => list.getByRole("listitem").count();
		const scroll = page.locator(".ea-scroll");
		let most = 0;
		for (let y = 0; y < 32_000; y += 1600) {
			await scroll.evaluate((el, top) => (el.scrollTop = top), y);
			await settled(page);
			most = Math.max(most, await rows());
		}
		expect(most).toBeLessThan(60);
		const drawn = await page.evaluate(
			(shown) => {
				const count = window.dev.changes();
				window.dev.tell([shown]);
				return count();
			},
			event("review.changed", {
				review: review({
					files: files.map((f, n) => (n === 500 ? { ...f, dropped: true } : f)),
					approval: "a2",
				}),
			}),
		);
		// The row, and the counts above and below; not the other rows.
		expect(drawn).toBeLessThan(40);
	});

	it("offers to allow a refused step once, beside leaving it out", async () => {
		const problem = { code: "POLICY_DENIED", key: "policy.deletesOff", params: { path: "A.md" } } as const;
		const refused = review({ approvable: false, stopped: true, problem, refused: ["s1"], mayAllow: true });
		const page = await open(refused, { "review.amend": review() }, { width: 300 });
		await page.getByRole("button", { name: "Leave this step out" }).waitFor();
		expect(await misfits(page)).toEqual([]);
		await page.getByRole("button", { name: "Allow once" }).click();
		expect(await asked(page, "review.amend")).toEqual([{ run: "r1", kind: "once" }]);
		await changed(page, { ...refused, mayAllow: false });
		await page.getByRole("button", { name: "Allow once" }).waitFor({ state: "detached" });
	});

	it("says why a review cannot be approved of which everything is left out", async () => {
		const out = review({ approvable: false, files: review().files.map((f) => ({ ...f, dropped: true })) });
		const page = await open(out, {}, { width: 300 });
		const approve = page.getByRole("button", { name: "Approve", disabled: true });
		await approve.focus();
		const why = await approve.evaluate(
			(el) => document.getElementById(el.getAttribute("aria-describedby") ?? "")?.textContent,
		);
		expect(why).toBe("Nothing is left to write: you have left out every change.");
		await page.keyboard.press("Enter");
		await page.keyboard.press("Control+Enter");
		expect(await asked(page, "review.approve")).toEqual([]);
		expect(await misfits(page)).toEqual([]);
	});

	it("does not move Approve from under a finger that leaves the message for it", async () => {
		const page = await open(review(), { "review.approve": { run: "r1" } }, { width: 300, mobile: true });
		const message = page.getByRole("textbox", { name: "Message" });
		const approve = page.getByRole("button", { name: "Approve" });
		const toolbar = page.locator(".ea-toolbar");
		const typed = async () => {
			await message.fill("and then");
			await message.fill("");
			await toolbar.waitFor();
			await approve.scrollIntoViewIfNeeded();
			await page.evaluate(() => document.querySelector(".ea-scroll")?.scrollBy(0, 1e6));
		};
		await typed();
		const box = (await approve.boundingBox())!;
		await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
		await page.mouse.down();
		await settled(page);
		expect((await approve.boundingBox())!.y, "moved while the finger is down").toBe(box.y);
		await page.mouse.up();
		await toolbar.waitFor({ state: "hidden" });
		expect(await asked(page, "review.approve")).toHaveLength(1);
	});
});
