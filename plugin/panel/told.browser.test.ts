// What the panel says in Chromium while something waits, fails, is refused or is renamed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../../test/dev/build";
import { can, event, file, fileView, question, review, runState, turn, words } from "../../test/dev/fixtures";
import { misfits } from "../../test/dev/fit";
import { asked, openStage, ready, settled, show, type Stage } from "../../test/dev/stage";

describe.skipIf(!findChromium())("the panel tells", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	it("why the model is asked again and when, and asks it at once at a press", async () => {
		const waiting = {
			text: words("api.example.org is overloaded or has a problem."),
			until: new Date(Date.now() + 30_000).toISOString(),
		};
		const page = await show(stage, [ready, event("turn.changed", { turn: turn({ waiting }) })]);
		await page.getByText("api.example.org is overloaded or has a problem.").waitFor();
		const left = async () => Number((await page.getByText(/Trying again in/).innerText()).match(/\d+/)?.[0]);
		const first = await left();
		expect(first).toBeLessThanOrEqual(30);
		await expect.poll(left, { timeout: 20_000 }).toBeLessThan(first);
		await page.getByRole("button", { name: "Retry now" }).click();
		expect(await asked(page, "turn.retry")).toEqual([{ turn: "t1" }]);
		await page.context().close();
	});

	it("that nothing has come for five seconds, and no more when something comes", async () => {
		const said = turn({ phase: "streaming", reply: "One" });
		const page = await show(stage, [ready, event("turn.changed", { turn: said })]);
		await page.getByText(/Nothing new for \d+ seconds\./).waitFor({ timeout: 20_000 });
		await page.evaluate(
			(e) => window.dev.tell([e]),
			event("turn.text", { delta: { turn: "t1", text: " more." } }),
		);
		await page.getByText(/Nothing new for/).waitFor({ state: "detached" });
		await page.context().close();
	});

	it("that a form waits for the person, and not that the model is being asked", async () => {
		const page = await show(stage, [
			ready,
			event("turn.changed", { turn: turn() }),
			event("question.opened", { question: question({ kind: "parameters", text: words("Which folder?") }) }),
		]);
		await page.getByText("Needs a few details from you").waitFor();
		expect(await page.getByText("Asking the model").count()).toBe(0);
		await page.context().close();
	});

	it("an error of the review in its foot, in sight, and any other above the message", async () => {
		const files = Array.from({ length: 40 }, (_, i) => file(`Notes/${i}.md`));
		const page = await show(stage, [ready, event("review.opened", { review: review({ files }) })]);
		await page.evaluate(() => {
			window.dev.failures["review.approve"] = { code: "CONFLICT", key: "error.review.changed" };
		});
		await page.getByRole("button", { name: "Approve", exact: true }).click();
		const alert = page.getByRole("region", { name: "Plan" }).getByRole("alert");
		await alert.getByRole("group", { name: "Problem" }).waitFor();
		const box = (await alert.boundingBox())!;
		const height = page.viewportSize()!.height;
		expect(box.y).toBeGreaterThan(0);
		expect(box.y + box.height).toBeLessThan(height);
		await page.evaluate(() => {
			window.dev.failures["send"] = { code: "CONFLICT", key: "error.review.changed" };
		});
		await page.getByRole("textbox", { name: "Message" }).fill("more");
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await expect.poll(() => alert.getByRole("group", { name: "Problem" }).count()).toBe(0);
		expect(await page.getByRole("alert").getByRole("group", { name: "Problem" }).count()).toBe(1);
		await page.context().close();
	});

	it("a way on where a step of the plan was refused", async () => {
		const refused = review({
			approvable: false,
			stopped: true,
			refused: ["bin"],
			problem: { code: "POLICY_DENIED", ...words("Deleting is switched off, so “A.md” was kept.") },
		});
		const page = await show(
			stage,
			[ready, event("review.opened", { review: refused })],
			{},
			{ "review.amend": refused },
		);
		await page.getByRole("button", { name: "Leave this step out" }).click();
		await page.getByRole("button", { name: "Try again", exact: true }).click();
		expect(await asked(page, "review.amend")).toEqual([
			{ run: "r1", kind: "without" },
			{ run: "r1", kind: "again" },
		]);
		await page.context().close();
	});

	it("the old name and the new one of what is renamed, and what moves along, with no text to edit", async () => {
		const files = [
			file("Archive/Old.md", { status: "rename", from: "Inbox/Old.md", added: 0, removed: 0 }),
			file("Garden", { status: "rename", from: "Beds", added: 0, removed: 0, moves: 2 }),
		];
		const moved = { ...fileView("Garden"), moved: ["Beds/A.md", "Beds/B.md"] };
		const page = await show(
			stage,
			[ready, event("review.opened", { review: review({ files }) })],
			{},
			{ "review.file": moved },
		);
		await settled(page);
		const row = page.getByRole("button", { name: /Inbox\/Old\.md → .*Old\.md/ });
		await row.click();
		await page.getByText("The text stays as it is.").waitFor();
		expect(await page.getByRole("button", { name: "Edit text" }).count()).toBe(0);
		await page.getByRole("button", { name: /Beds → .*Garden/ }).click();
		await page.getByText("2 files move along:").waitFor();
		await page.getByText("Beds/B.md").waitFor();
		await page.context().close();
	});

	it("shows and says that an undo goes on, and how far it is", async () => {
		const page = await show(
			stage,
			[
				ready,
				event("run.state", {
					run: runState({ state: "finished", outcome: "ok", can: { ...can, revert: true } }),
				}),
			],
			{ width: 300 },
		);
		await page.evaluate(() => {
			window.dev.answers["run.revert"] = new Promise((resolve) => Object.assign(window, { finish: resolve }));
		});
		await page.getByRole("button", { name: "Revert last run" }).click();
		await page.getByRole("status").filter({ hasText: "Undoing the run" }).waitFor();
		const far = {
			done: 120,
			total: 400,
			found: 0,
			text: { key: "progress.done", params: { done: "120", total: "400" } },
		};
		await page.evaluate(
			(e) => window.dev.tell([e]),
			event("exec", {
				exec: {
					type: "step.progress",
					runId: "u1",
					timestamp: "",
					level: "info",
					message: "",
					progress: far,
				},
			}),
		);
		const bar = page.getByRole("progressbar", { name: "Progress of the undo" });
		await bar.waitFor();
		expect(await bar.getAttribute("aria-valuenow")).toBe("120");
		expect(await bar.getAttribute("aria-valuetext")).toBe("120 of 400");
		expect(await misfits(page)).toEqual([]);
		const cancel = page.getByRole("button", { name: "Cancel", exact: true });
		await cancel.click();
		await expect.poll(() => asked(page, "stop")).toEqual([{ id: "r1" }]);
		expect(await cancel.isDisabled()).toBe(true);
		const told = {
			notUndone: [{ key: "reverted.cancelled" }],
			did: [{ key: "reverted.removed", params: { n: "120" } }],
		};
		await page.evaluate((r) => (window as unknown as { finish: (r: object) => void }).finish(r), told);
		await bar.waitFor({ state: "detached" });
		await page
			.getByText("The undo was cancelled. Undo the run again to undo the rest.", { exact: true })
			.waitFor();
		await page
			.getByRole("status")
			.filter({ hasText: "The undo was cancelled." })
			.waitFor({ state: "attached" });
		await page.getByText("120 files removed.", { exact: true }).waitFor();
		expect(await cancel.count()).toBe(0);
		await page.context().close();
	});
});
