// The conflicts of an undo in Chromium: as many as there are, and each is settled.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium } from "../../../test/dev/build";
import { event, runState } from "../../../test/dev/fixtures";
import { misfits } from "../../../test/dev/fit";
import { asked, openStage, ready, scenes, settled, show, type Stage } from "../../../test/dev/stage";
import type { Conflict, Revert } from "../../protocol";

const many = 1000;

/** Notes; every tenth is no text. */
const conflicts = Array.from({ length: many }, (_, n): Conflict => ({
	path: `Journal of the garden/Entry ${n}.md`,
	before: `Before ${n}.\n`,
	after: `After ${n}.\n`,
	now: `Now ${n}.\n`,
	nowEtag: `etag ${n}`,
	binary: n % 10 === 9,
}));

describe.skipIf(!findChromium())("the conflicts of an undo", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	/** The panel with the conflicts open in it. */
	async function open(): Promise<Page> {
		const reverted = { run: "r2", restored: [], merged: [], kept: [], notUndone: [], conflicts };
		const finished = runState({ state: "finished", outcome: "ok", can: { ...runState().can, revert: true } });
		const page = await show(
			stage,
			[ready, event("run.state", { run: finished })],
			{ width: 300 },
			{
				...scenes["conflict"]?.answers,
				"run.revert": reverted,
			},
		);
		onTestFinished(() => page.context().close());
		await page.getByRole("button", { name: "Revert last run", exact: true }).click();
		await list(page).waitFor();
		await settled(page);
		return page;
	}

	const list = (page: Page) => page.getByRole("list", { name: "1,000 files were edited after the run" });
	const conflict = (page: Page, n: number) =>
		page.getByRole("group", { name: `Journal of the garden/Entry ${n}.md` });

	async function scrollTo(page: Page, end: "top" | "bottom"): Promise<void> {
		await page.locator(".ea-scroll").evaluate((el, to) => {
			el.scrollTop = to === "top" ? 0 : el.scrollHeight;
		}, end);
		await settled(page);
	}

	it("are drawn as far as they are seen, and keep what was chosen and written while they are not", async () => {
		const page = await open();
		expect(await list(page).getByRole("listitem").count()).toBeLessThan(40);
		expect(await list(page).getByRole("listitem").first().getAttribute("aria-setsize")).toBe("1000");
		await scrollTo(page, "top");
		await conflict(page, 0).getByRole("radio", { name: "Keep the current version" }).check();
		await conflict(page, 1).getByRole("radio", { name: "Write the text yourself" }).check();
		await page.getByRole("textbox", { name: /Entry 1\.md$/ }).fill("Written.\n");
		await conflict(page, 2).getByText("Before the run and now").click();
		await conflict(page, 2).locator(".cm-content").first().waitFor();
		await scrollTo(page, "bottom");
		await conflict(page, 999).getByRole("radio").first().waitFor();
		expect(await conflict(page, 999).getByRole("radio").count()).toBe(2);
		expect(await conflict(page, 0).count()).toBe(0);
		expect(await misfits(page)).toEqual([]);
		await scrollTo(page, "top");
		expect(await conflict(page, 0).getByRole("radio", { name: "Keep the current version" }).isChecked()).toBe(
			true,
		);
		expect(await page.getByRole("textbox", { name: /Entry 1\.md$/ }).inputValue()).toBe("Written.\n");
		expect(await conflict(page, 2).locator(".cm-content").count()).toBeGreaterThan(0);
		expect(await misfits(page)).toEqual([]);
	});

	it("are gone through by Tab alone, from the first to those that are drawn later", async () => {
		const page = await open();
		await scrollTo(page, "top");
		await conflict(page, 0).getByRole("radio").first().focus();
		const at = () =>
			page.evaluate(() =>
				Number(document.activeElement?.closest<HTMLElement>("[data-index]")?.dataset["index"]),
			);
		for (let presses = 0; presses < 200 && (await at()) < 40; presses++) await page.keyboard.press("Tab");
		expect(await at()).toBe(40);
		expect(await list(page).getByRole("listitem").count()).toBeLessThan(40);
	});

	it("are all settled by one press, once each has its choice", async () => {
		const page = await open();
		await scrollTo(page, "top");
		const apply = page.getByRole("button", { name: "Apply choices" });
		expect(await apply.isDisabled()).toBe(true);
		await page.evaluate(async () => {
			const around = document.querySelector(".ea-scroll")!;
			const end = () => around.scrollTop + around.clientHeight >= around.scrollHeight - 1;
			for (let last = false; !last; last = end()) {
				for (const set of document.querySelectorAll(".ea-conflicts fieldset"))
					set.querySelectorAll<HTMLInputElement>("input[type=radio]")[1]?.click();
				around.scrollTop += around.clientHeight;
				for (let frame = 0; frame < 2; frame++)
					await new Promise((resolve) => requestAnimationFrame(resolve));
			}
			for (const set of document.querySelectorAll(".ea-conflicts fieldset"))
				set.querySelectorAll<HTMLInputElement>("input[type=radio]")[1]?.click();
		});
		await apply.click();
		const { choices } = (await asked(page, "run.revert")).at(-1) as Revert;
		expect(choices).toEqual(
			conflicts.map(({ path, nowEtag }) => ({ path, now: nowEtag, choice: "restore" })),
		);
	});

	it.each([
		["keep", "Keep all current versions", "Keep the current version of all 1,000 files?"],
		["restore", "Restore all", "Restore all 1,000 files to the versions from before the run?"],
	])(
		"are settled alike (%s) after one question that says how many they are",
		async (choice, name, question) => {
			const page = await open();
			const all = page.getByRole("button", { name, exact: true });
			await all.press("Enter");
			const asking = page.getByRole("group", { name: question });
			await asking.getByRole("button", { name: "Back" }).press("Enter");
			await asking.waitFor({ state: "detached" });
			expect(await asked(page, "run.revert")).toHaveLength(1);
			await all.click();
			await asking.getByRole("button", { name, exact: true }).click();
			const { choices } = (await asked(page, "run.revert")).at(-1) as Revert;
			expect(choices).toEqual(conflicts.map(({ path, nowEtag }) => ({ path, now: nowEtag, choice })));
		},
	);
});
