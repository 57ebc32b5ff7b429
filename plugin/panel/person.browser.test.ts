// The panel in Chromium: what a person does, and what the core is asked.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../../test/dev/build";
import {
	action,
	can,
	event,
	exec,
	file,
	question,
	review,
	runState,
	state,
	turn,
	words,
} from "../../test/dev/fixtures";
import { asked, mixed, modified, openStage, ready, show, type Stage } from "../../test/dev/stage";

describe.skipIf(!findChromium())("the panel", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	describe("a person", () => {
		it("sends the message with Enter and a dry run with its button, and the field is empty then", async () => {
			const page = await show(stage, [ready], {}, { send: { turn: "t1" } });
			const message = page.getByRole("textbox", { name: "Message" });
			await message.fill("first");
			await message.press("Shift+Enter");
			await message.pressSequentially("second");
			await message.press("Enter");
			await message.fill("look only");
			await page.getByRole("button", { name: "Dry run", exact: true }).click();
			const sent = (await asked(page, "send")) as { text: string; dryRun: boolean; useSelection: boolean }[];
			expect(sent.map((s) => [s.text, s.dryRun, s.useSelection])).toEqual([
				["first\nsecond", false, true],
				["look only", true, true],
			]);
			await expect.poll(() => message.inputValue()).toBe("");
			await page.context().close();
		});

		it("sees the field grow with the text, and shrink when it is sent", async () => {
			const page = await show(stage, [ready], {}, { send: { turn: "t1" } });
			const message = page.getByRole("textbox", { name: "Message" });
			const height = async () => (await message.boundingBox())!.height;
			const low = await height();
			await message.fill("a\nb\nc\nd\ne\nf");
			await expect.poll(height).toBeGreaterThan(low + 40);
			await message.press("Enter");
			await expect.poll(height).toBe(low);
			await page.context().close();
		});

		it("offers the selection, with its size, and can take it out", async () => {
			const page = await show(
				stage,
				[ready],
				{},
				{ send: { turn: "t1" }, estimate: { snippet: "- a - b", tokens: 1212 } },
			);
			await page.evaluate(() => window.dev.select("a.md", "- a\n- b"));
			const group = page.getByRole("group", { name: "Selection" });
			expect(await group.innerText()).toContain("about 1,212 tokens");
			await page.getByRole("textbox", { name: "Message" }).fill("x");
			await page.getByRole("button", { name: "Run", exact: true }).click();
			await page.getByRole("textbox", { name: "Message" }).fill("y");
			await page.getByRole("button", { name: "Leave out the selection" }).click();
			await page.getByRole("button", { name: "Run", exact: true }).click();
			const sent = (await asked(page, "send")) as { useSelection: boolean }[];
			expect(sent.map((s) => s.useSelection)).toEqual([true, false]);
			await page.context().close();
		});

		it("approves exactly the state that is shown", async () => {
			const page = await show(stage, [ready, event("review.opened", { review: review() })]);
			await page.evaluate(
				(changed) => window.dev.tell([changed]),
				event("review.changed", { review: review({ approval: "a2" }) }),
			);
			await page
				.getByRole("region", { name: "Plan" })
				.getByRole("button", { name: "Approve", exact: true })
				.click();
			expect(await asked(page, "review.approve")).toEqual([{ run: "r1", approval: "a2" }]);
			await page.context().close();
		});

		it("finds a plan that it has cancelled below its message, and reviews it again", async () => {
			const notRun = { run: "r1", goal: "One note per bullet", files: 11, amended: true };
			const page = await show(stage, [
				ready,
				event("turn.ended", { turn: turn({ phase: "done", outcome: "plan", run: "r1" }) }),
				event("review.opened", { review: review() }),
			]);
			expect(await page.getByText("Not run:").count()).toBe(0);
			await page.evaluate((e) => window.dev.tell([e]), event("review.closed", { runId: "r1", notRun }));
			await page.getByText("One note per bullet").waitFor();
			await page.getByText("11 files · Changed by you").waitFor();
			await page.getByRole("button", { name: "Review again" }).click();
			expect(await asked(page, "review.open")).toEqual([{ run: "r1" }]);
			await page.evaluate((e) => window.dev.tell([e]), event("run.state", { run: runState({ run: "r1" }) }));
			expect(await page.getByText("Not run:").count()).toBe(0);
			await page.context().close();
		});

		it("writes in a review, and the core keeps it; the next time it is handed back", async () => {
			const page = await show(stage, [ready, event("review.opened", { review: review() })]);
			await page.getByText("Edit plan").click();
			await page.getByRole("textbox", { name: "The plan as JSON" }).fill("{}");
			await expect
				.poll(() => asked(page, "review.draft"))
				.toEqual([{ run: "r1", drafts: { plan: "{}", texts: {} } }]);
			await page.evaluate(
				(e) => window.dev.tell(e),
				[
					event("review.closed", { runId: "r1" }),
					event("review.opened", { review: review({ run: "r2", drafts: { plan: "[]" } }) }),
				],
			);
			await expect
				.poll(() => page.getByRole("textbox", { name: "The plan as JSON" }).inputValue())
				.toBe("[]");
			await page.context().close();
		});

		it("finds no Approve where the core allows none", async () => {
			const page = await show(stage, [
				ready,
				event("review.opened", { review: review({ dryRun: true, approvable: false }) }),
			]);
			expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
			expect(await page.getByText("This is a dry run: nothing is written.").count()).toBe(1);
			await page.context().close();
		});

		it("closes a review with Cancel, a turn with Cancel, a run with Cancel: there is never more than one", async () => {
			const page = await show(stage, [ready, event("review.opened", { review: review() })]);
			const cancel = page.getByRole("button", { name: "Cancel", exact: true });
			await cancel.click();
			expect(await asked(page, "review.close")).toEqual([{ run: "r1" }]);
			await page.evaluate((e) => window.dev.tell([e]), event("turn.started", { turn: turn() }));
			await cancel.click();
			await page.evaluate(
				(e) => window.dev.tell(e),
				[
					event("turn.ended", { turn: turn({ phase: "done", outcome: "plan" }) }),
					event("run.state", { run: runState() }),
				],
			);
			await cancel.click();
			expect(await asked(page, "stop")).toEqual([{ id: "t1" }, { id: "r1" }]);
			await page.context().close();
		});

		it("leaves a file out, and the box shows what the core says", async () => {
			const page = await show(stage, [ready, event("review.opened", { review: review() })]);
			await page.evaluate(
				(answer) => (window.dev.answers["review.amend"] = answer),
				review({ approval: "a1" }),
			);
			const box = page.getByRole("checkbox", { name: "Include Projects/XYZ/Note 3.md" });
			await box.click();
			expect(await asked(page, "review.amend")).toEqual([
				{ run: "r1", kind: "drop", path: "Projects/XYZ/Note 3.md" },
			]);
			await expect.poll(() => box.isChecked()).toBe(true);
			const dropped = review({
				files: review().files.map((f) => (f.path.endsWith("Note 3.md") ? { ...f, dropped: true } : f)),
			});
			await page.evaluate((e) => window.dev.tell([e]), event("review.changed", { review: dropped }));
			await expect.poll(() => box.isChecked()).toBe(false);
			await page.context().close();
		});

		it("rejects one hunk, edits the text, and takes the edit back", async () => {
			const page = await show(
				stage,
				[ready, event("review.opened", { review: mixed })],
				{ width: 420 },
				{ "review.file": modified },
			);
			await page.getByRole("button", { name: /Ideas for the garden/ }).click();
			await page.evaluate((answer) => (window.dev.answers["review.amend"] = answer), review());
			await page.getByRole("button", { name: "Reject change 2" }).click();
			await page.getByRole("button", { name: "Edit text" }).click();
			const text = page.getByRole("textbox", { name: "Inbox/Ideas for the garden.md after" });
			await text.press("Control+End");
			await text.pressSequentially("More.");
			await page.getByRole("button", { name: "Keep the change" }).click();
			const path = "Inbox/Ideas for the garden.md";
			expect(await asked(page, "review.amend")).toEqual([
				{ run: "r1", kind: "hunks", path, rejected: [1] },
				{ run: "r1", kind: "edit", path, text: `${modified.after}More.` },
			]);
			await page.context().close();
		});

		it("moves through a thousand files by keyboard, of which few exist", async () => {
			const files = Array.from({ length: 1000 }, (_, n) => file(`Notes/Note ${n}.md`));
			const page = await show(stage, [ready, event("review.opened", { review: review({ files }) })]);
			const list = page.getByRole("list", { name: "Files that would change" });
			expect(await list.getByRole("listitem").count()).toBeLessThan(60);
			await list.getByRole("button").first().focus();
			await page.keyboard.press("End");
			await expect
				.poll(() => page.evaluate(() => document.activeElement?.textContent))
				.toContain("Note 999.md");
			await page.keyboard.press("ArrowUp");
			await expect
				.poll(() => page.evaluate(() => document.activeElement?.textContent))
				.toContain("Note 998.md");
			await page.keyboard.press("Home"); // the row of their folder
			await expect
				.poll(() => page.evaluate(() => document.activeElement?.textContent))
				.toContain("1,000 files");
			await page.keyboard.press("ArrowDown");
			await expect
				.poll(() => page.evaluate(() => document.activeElement?.textContent))
				.toContain("Note 0.md");
			await page.context().close();
		});

		it("sees progress, and opens a call to its arguments and result", async () => {
			const page = await show(stage, [
				ready,
				event("run.state", { run: runState({ done: 3, failed: 1 }) }),
				exec(1, "ok"),
				exec(2, "running"),
			]);
			const bar = page.getByRole("progressbar", { name: "Run progress" });
			expect([await bar.getAttribute("aria-valuenow"), await bar.getAttribute("aria-valuemax")]).toEqual([
				"4",
				"10",
			]);
			const log = page.getByRole("region", { name: "Run log" });
			await log.getByRole("button", { name: "Created Note 1" }).click();
			expect(await log.getByRole("region", { name: "Arguments" }).innerText()).toContain(
				"Projects/XYZ/Note 1.md",
			);
			expect(await log.getByRole("region", { name: "Result" }).innerText()).toContain("created");
			await page.context().close();
		});

		it("reverts the last run, names it as an action, runs the rest", async () => {
			const end = runState({
				state: "finished",
				outcome: "partial",
				can: { ...can, revert: true, rest: true, save: true },
			});
			const page = await show(
				stage,
				[ready, event("run.state", { run: end })],
				{},
				{ "actions.save": action() },
			);
			await page.getByRole("button", { name: "Run the rest", exact: true }).click();
			await page.getByRole("button", { name: "Save as action", exact: true }).click();
			await page.getByLabel("Name of the action").fill("Ten notes");
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Revert last run", exact: true }).click();
			expect(await asked(page, "run.rest")).toEqual([{ run: "r1" }]);
			expect(await asked(page, "actions.save")).toEqual([{ run: "r1", name: "Ten notes" }]);
			expect(await asked(page, "run.revert")).toEqual([{ run: "r1" }]);
			await page.context().close();
		});

		it("runs, renames and deletes a saved action, also without a model", async () => {
			const page = await show(
				stage,
				[event("state", { state: state({ ready: false, actions: [action()] }) })],
				{},
				{
					"actions.rename": { actions: [action({ name: "Better name" })] },
				},
			);
			await page.getByRole("button", { name: "Notes from bullets", exact: true }).click();
			expect(await asked(page, "actions.run")).toEqual([{ id: "act1" }]);
			const choose = async (title: string) => {
				await page.getByRole("button", { name: /^More options for/ }).click();
				await page.evaluate((t) => window.dev.app.heard.menu.find((e) => e.title === t)?.run(), title);
			};
			await choose("Rename");
			await page.getByLabel("New name").fill("Better name");
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Better name", exact: true }).waitFor();
			await choose("Delete");
			await page.getByRole("button", { name: "Delete", exact: true }).click();
			expect(await asked(page, "actions.remove")).toEqual([{ id: "act1" }]);
			await page.context().close();
		});

		it("answers a question with what was asked for", async () => {
			const page = await show(stage, [
				ready,
				event("question.opened", {
					question: question({
						kind: "parameters",
						fields: [{ name: "folder", label: words("Folder"), kind: "text", value: "A" }],
					}),
				}),
			]);
			await page.getByLabel("Folder").fill("B");
			await page.getByRole("button", { name: "Continue" }).click();
			expect(await asked(page, "answer")).toEqual([{ id: "q1", yes: true, values: { folder: "B" } }]);
			await expect.poll(() => page.getByLabel("Folder").count()).toBe(0);
			await page.context().close();
		});

		it("is told what went wrong and what to do, in words", async () => {
			const page = await show(stage, [ready]);
			await page.evaluate(() => {
				window.dev.failures.send = { code: "AUTH_REQUIRED", key: "error.cancelled", detail: "401" };
			});
			await page.getByRole("textbox", { name: "Message" }).fill("x");
			await page.getByRole("button", { name: "Run", exact: true }).click();
			const problem = page.getByRole("group", { name: "Problem" });
			expect(await problem.innerText()).toContain("Cancelled.");
			await problem.getByRole("button", { name: "Open settings" }).click();
			expect(await page.evaluate(() => window.dev.app.heard.settings)).toBe(1);
			expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("x");
			await page.context().close();
		});
	});

	it("scrolls itself to a review, and never the app around it", async () => {
		const page = await show(stage, [ready]);
		await page.addStyleTag({ content: "html, body { overflow: hidden } body { padding-block-end: 600px }" });
		const turns = Array.from({ length: 12 }, (_, n) =>
			event("turn.ended", {
				turn: turn({ id: `t${n}`, phase: "done", outcome: "answer", reply: "Yes.\n\nNo." }),
			}),
		);
		await page.evaluate((e) => window.dev.tell(e), [...turns, event("review.opened", { review: review() })]);
		const top = () =>
			page.evaluate(() => {
				const [card, frame] = [".ea-review", ".ea-scroll"].map(
					(q) => document.querySelector(q)!.getBoundingClientRect().top,
				);
				return Math.round(card! - frame!);
			});
		await expect.poll(top).toBeLessThan(20);
		expect(await top()).toBeGreaterThanOrEqual(0);
		expect(await page.evaluate(() => document.documentElement.scrollTop + document.body.scrollTop)).toBe(0);
		await page.context().close();
	});

	it("draws no more for a batch of calls after 4,000 than at first", async () => {
		const page = await show(stage, [ready, event("run.state", { run: runState({ total: 4000 }) })]);
		const events = Array.from({ length: 4000 }, (_, n) => exec(n, "ok"));
		const drawn = await page.evaluate((events) => window.dev.flood(events, 125), events);
		expect(await page.locator(".ea-call").count()).toBeLessThan(60);
		expect(await page.getByText("4,000 calls").count()).toBe(1);
		const most = (part: number[]) => Math.max(...part);
		expect(most(drawn.slice(-10))).toBeLessThan(1.2 * most(drawn.slice(2, 12)));
		await page.context().close();
	});
});
