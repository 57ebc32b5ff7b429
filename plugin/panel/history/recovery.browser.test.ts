// The card of a run that did not end, in Chromium: it says where the run stands, and offers what fits that.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium } from "../../../test/dev/build";
import { event, state, summary, words } from "../../../test/dev/fixtures";
import { asked, openStage, show, type Stage } from "../../../test/dev/stage";
import type { RunSummary } from "../../protocol";

describe.skipIf(!findChromium())("the card of an unfinished run", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	async function open(run: Partial<RunSummary>): Promise<Page> {
		const recoveries = [summary({ run: "r7", text: words("4 of 10 notes were made."), ...run })];
		const page = await show(stage, [event("state", { state: state({ recoveries }) })], { width: 300 });
		onTestFinished(() => page.context().close());
		return page;
	}

	const card = (page: Page) => page.getByRole("region", { name: "Unfinished run" });

	it("offers to finish undoing or to put its changes back, where the undoing was cut short", async () => {
		const page = await open({ stands: "takingBack", choices: ["revert", "bring", "keep"] });
		expect(await card(page).count()).toBe(1);
		expect(await card(page).getByRole("button").allInnerTexts()).toEqual([
			"Finish undoing",
			"Put changes back",
			"Leave as is",
		]);
		await card(page).getByRole("button", { name: "Put changes back" }).click();
		expect(await asked(page, "recovery.resolve")).toEqual([{ run: "r7", choice: "bring" }]);
	});

	it("offers to undo a run that was cut short itself", async () => {
		const page = await open({ stands: "interrupted", choices: ["finish", "revert", "keep"] });
		await card(page).getByRole("button", { name: "Undo", exact: true }).click();
		expect(await asked(page, "recovery.resolve")).toEqual([{ run: "r7", choice: "revert" }]);
	});

	it("offers nothing for a run that is carried out elsewhere", async () => {
		const page = await open({ stands: "live", choices: [] });
		expect(await card(page).getByText("4 of 10 notes were made.").isVisible()).toBe(true);
		expect(await card(page).getByRole("button").count()).toBe(0);
	});
});
