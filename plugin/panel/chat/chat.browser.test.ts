// The chat in Chromium: what is said, while it is said and afterwards.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Turn } from "../../protocol";
import { findChromium } from "../../../test/dev/build";
import { agentCall, attach, estimated } from "../../../test/dev/chat";
import { event, review, turn } from "../../../test/dev/fixtures";
import { asked, openStage, ready, settled, show, type Stage } from "../../../test/dev/stage";
import { accepts, agent, button, done, field, sent } from "../../../test/dev/conversation";

describe.skipIf(!findChromium())("the chat", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	it("of a long conversation draws the last turns, and the others when they are asked for", async () => {
		const said = Array.from({ length: 25 }, (_, i) =>
			event("turn.ended", { turn: { ...done, id: `t${i}`, text: `Question ${i}.` } }),
		);
		const page = await show(stage, [ready, ...said]);
		await settled(page);
		const drawn = async () => (await page.locator(".ea-scroll").innerText()).match(/Question \d+\./g);
		const questions = (from: number) => Array.from({ length: 25 - from }, (_, i) => `Question ${from + i}.`);
		expect(await drawn()).toEqual(questions(15));
		await button(page, "Show 15 earlier messages").click();
		expect(await drawn()).toEqual(questions(5));
		await button(page, "Show 5 earlier messages").click();
		expect(await drawn()).toEqual(questions(0));
		expect(await page.getByRole("button", { name: /earlier message/ }).count()).toBe(0);
		await page.context().close();
	});

	describe("while an agent works", () => {
		it("Enter steers and Alt+Enter queues, and both are shown", async () => {
			const with1: Turn = { ...agent, attached: [{ kind: "note", path: "a.md" }] };
			const page = await show(stage, [ready, event("turn.started", { turn: with1 })], {}, accepts);
			expect(await button(page, "Run").count()).toBe(0);
			await field(page).fill("Leave the headings");
			await field(page).press("Enter");
			await field(page).fill("Then a list");
			await field(page).press("Alt+Enter");
			await field(page).fill("And a third");
			await button(page, "Queue").click();
			expect((await sent(page)).map((s) => [s.text, s.mode, s.queue])).toEqual([
				["Leave the headings", "agent", undefined],
				["Then a list", "agent", true],
				["And a third", "agent", true],
			]);
			await page.evaluate(
				(e) => window.dev.tell([e]),
				event("turn.started", {
					turn: { ...with1, steered: ["Leave the headings"], queued: ["Then a list"] },
				}),
			);
			expect(await page.getByText("Sent while the agent was working: Leave the headings").count()).toBe(1);
			expect(await page.getByRole("article").getByRole("listitem").allInnerTexts()).toEqual(["a"]);
			expect(await page.getByText("Queued: Then a list").count()).toBe(1);
			await page.context().close();
		});

		it("a plan that is being made takes no further message, and what is written stays", async () => {
			const page = await show(stage, [ready, event("turn.started", { turn: turn() })], {}, accepts);
			await field(page).fill("more");
			await field(page).press("Enter");
			expect(await sent(page)).toEqual([]);
			expect(await field(page).inputValue()).toBe("more");
			await button(page, "Cancel").click();
			expect(await asked(page, "stop")).toEqual([{ id: "t1" }]);
			await page.context().close();
		});

		it("leaves the Cancel to the review as soon as that is open", async () => {
			const page = await show(stage, [
				ready,
				event("turn.started", { turn: turn({ phase: "simulating" }) }),
				event("review.opened", { review: review() }),
			]);
			await button(page, "Cancel").click();
			expect(await asked(page, "review.close")).toEqual([{ run: "r1" }]);
			await page.context().close();
		});

		it("its calls are told live as deeds, with time, cache and scope; the tool's name is inside", async () => {
			const deed = (key: string, params: Record<string, string> = {}) => ({ key: `deed.${key}`, params });
			const page = await show(stage, [
				ready,
				event("turn.started", { turn: agent }),
				agentCall(1, {
					tool: "vault.searchText",
					deed: deed("searched", { text: "compost", n: "9" }),
					cached: true,
					durationMs: 4,
				}),
				agentCall(2, {
					tool: "http.request",
					deed: deed("fetched", { text: "example.org" }),
					secretScope: "vault",
					durationMs: 812,
				}),
				agentCall(3, {
					tool: "vault.readFile",
					deed: deed("read.doing", { name: "Soil" }),
					status: "running",
					result: "",
				}),
			]);
			const rows = page.getByRole("list", { name: "Calls" }).getByRole("listitem");
			expect((await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "))).toEqual([
				expect.stringMatching(/^Done Searched “compost”: 9 hits Cached 4 ms$/),
				expect.stringMatching(/^Done Fetched a page from example.org Vault key 812 ms$/),
				expect.stringMatching(/^Running Reading Soil$/),
			]);
			await rows.nth(1).getByRole("button").click();
			await rows.nth(1).getByText("http.request", { exact: true }).waitFor();
			await page.getByRole("region", { name: "Arguments" }).waitFor();
			await page.getByRole("region", { name: "Result" }).waitFor();
			await page.evaluate(
				(e) => window.dev.tell(e),
				[
					agentCall(3, { tool: "vault.readFile" }),
					event("turn.ended", { turn: { ...agent, phase: "done", outcome: "answer", reply: "Yes." } }),
				],
			);
			expect(await page.getByRole("list", { name: "Calls" }).count()).toBe(0);
			await page.getByText("3 calls").click();
			expect(await rows.count()).toBe(3);
			await page.context().close();
		});

		it("a stopped one goes on by Continue", async () => {
			const stopped: Turn = { ...agent, phase: "done", outcome: "cancelled", canContinue: true };
			const page = await show(stage, [ready, event("turn.ended", { turn: stopped })], {}, accepts);
			await button(page, "Continue").click();
			expect((await sent(page))[0]).toMatchObject({ text: "", continue: true, mode: "agent" });
			await page.context().close();
		});
	});

	describe("an answer that says it did what was not done", () => {
		const hollow: Turn = { ...done, reply: "I have created the note for you!", hollow: true };
		const says = "Nothing was changed by this answer, whatever it says.";

		it("says that nothing was changed, aloud too, and asks again at a press", async () => {
			const page = await show(stage, [ready, event("turn.ended", { turn: hollow })], {}, accepts);
			await page.getByText(says).waitFor();
			await page.getByText("The answer is ready. Nothing was changed.").waitFor({ state: "attached" });
			await button(page, "Ask again").click();
			expect((await sent(page))[0]).toMatchObject({ text: hollow.text, replace: true });
			await page.context().close();
		});

		it("says so of an earlier one too, which is not asked again", async () => {
			const events = [
				ready,
				event("turn.ended", { turn: hollow }),
				event("turn.ended", { turn: { ...done, id: "t9" } }),
			];
			const page = await show(stage, events, {}, accepts);
			await page.getByText(says).waitFor();
			expect(await button(page, "Ask again").count()).toBe(0);
			await page.context().close();
		});
	});

	describe("an answer", () => {
		it("is copied, inserted at the cursor, and put in the selection's place", async () => {
			const page = await show(
				stage,
				[ready, event("turn.ended", { turn: done })],
				{},
				{ estimate: estimated },
			);
			expect(await button(page, "Insert at cursor").isDisabled()).toBe(true);
			expect(await button(page, "Replace selection").count()).toBe(0);
			await attach(page);
			for (const name of ["Copy answer", "Insert at cursor", "Replace selection"])
				await button(page, name).click();
			expect(await page.evaluate(() => [window.dev.app.heard.copied, window.dev.app.heard.written])).toEqual([
				["Two **notes**."],
				[
					["Two **notes**.", "cursor"],
					["Two **notes**.", "selection"],
				],
			]);
			await page.context().close();
		});

		it("that is asked about first names its note, and goes into no other that is opened meanwhile", async () => {
			const page = await show(
				stage,
				[ready, event("turn.ended", { turn: done })],
				{},
				{ estimate: estimated, "reply.check": { warnings: [{ key: "chat.insert.unknown" }] } },
			);
			await attach(page);
			const written = () => page.evaluate(() => window.dev.app.heard.written);
			const note = await page.evaluate(() => window.dev.app.note);
			await button(page, "Insert at cursor").click();
			await page.getByRole("group", { name: `Insert the answer into “${note}” anyway?` }).waitFor();
			await page.evaluate(() => (window.dev.app.note = "Another.md"));
			await button(page, "Insert anyway").click();
			await expect
				.poll(() => page.evaluate(() => window.dev.app.heard.notices.at(-1)))
				.toContain(`“${note}” is no longer open for editing.`);
			expect(await written()).toEqual([]);
			await page.evaluate((path) => (window.dev.app.note = path), note);
			await button(page, "Insert at cursor").click();
			await button(page, "Insert anyway").click();
			await expect.poll(written).toEqual([["Two **notes**.", "cursor"]]);
			await page.context().close();
		});

		it("is asked for again in its place, with what went along", async () => {
			const with1: Turn = { ...done, mode: "agent", attached: [{ kind: "note", path: "a.md" }] };
			const page = await show(
				stage,
				[ready, event("turn.ended", { turn: with1 })],
				{},
				{ send: { turn: "t2" } },
			);
			await button(page, "Regenerate answer").click();
			expect((await sent(page))[0]).toMatchObject({
				text: "Which notes?",
				mode: "agent",
				replace: true,
				attached: [{ kind: "note", path: "a.md" }],
			});
			await page.evaluate(
				(e) => window.dev.tell([e]),
				event("turn.started", { turn: turn({ id: "t2", conversation: "c" }) }),
			);
			expect(await page.getByText("Two notes.").count()).toBe(0);
			await page.context().close();
		});

		it("is edited and sent in the place of the last message, or as a new one", async () => {
			const page = await show(
				stage,
				[ready, event("turn.ended", { turn: done })],
				{},
				{ send: { turn: "t2" } },
			);
			await button(page, "Edit and send again").click();
			await page.getByText("Replaces your last message").waitFor();
			await field(page).press("End");
			await field(page).pressSequentially(" And folders?");
			await field(page).press("Enter");
			await button(page, "Edit and send again").waitFor({ state: "detached" });
			expect((await sent(page))[0]).toMatchObject({ text: "Which notes? And folders?", replace: true });
			await page.evaluate((e) => window.dev.tell([e]), event("turn.ended", { turn: { ...done, id: "t2" } }));
			await button(page, "Edit and send again").click();
			await button(page, "Send as a new message").click();
			await field(page).press("Enter");
			expect((await sent(page))[1]?.replace).toBeUndefined();
			await page.context().close();
		});

		it("streams without being drawn for every piece, and what is finished stays as it is", async () => {
			const page = await show(stage, [ready, event("turn.started", { turn: turn() })]);
			const first = "A first paragraph.\n\n";
			const pieces = Array.from({ length: 400 }, (_, n) => (n === 0 ? first : `word${n} `));
			const events = pieces.map((text) => event("turn.text", { delta: { turn: "t1", text } }));
			await page.evaluate((e) => window.dev.tell([e!]), events[0]);
			await page.locator(".ea-reply p").first().waitFor();
			await page.evaluate(() => document.querySelector(".ea-reply p")!.setAttribute("data-kept", "yes"));
			await page.evaluate((events) => window.dev.flood(events, 2), events.slice(1));
			await page.getByText("word399").waitFor();
			expect(await page.locator(".ea-reply p").first().getAttribute("data-kept")).toBe("yes");
			const parts = (await asked(page, "reply.draw")) as { text: string }[];
			expect(parts.length).toBeLessThan(200);
			expect(parts.slice(2).some(({ text }) => text.includes("first paragraph"))).toBe(false);
			await page.context().close();
		});

		it("is followed to its end while the person is there, and not when they have scrolled away", async () => {
			const page = await show(stage, [ready, event("turn.started", { turn: turn() })]);
			const more = async (n: number) => {
				const text = Array.from({ length: 30 }, (_, i) => `Line ${n}.${i}\n\n`).join("");
				await page.evaluate((e) => window.dev.tell([e]), event("turn.text", { delta: { turn: "t1", text } }));
				await page.getByText(`Line ${n}.29`).waitFor();
				await settled(page);
			};
			const gap = () =>
				page.evaluate(() => {
					const el = document.querySelector(".ea-scroll")!;
					return Math.round(el.scrollHeight - el.scrollTop - el.clientHeight);
				});
			const scroll = (to: "start" | "end") =>
				page.evaluate((to) => {
					const el = document.querySelector(".ea-scroll")!;
					el.scrollTop = to === "end" ? el.scrollHeight : 40;
				}, to);
			await more(1);
			await expect.poll(gap).toBeLessThan(3);
			await scroll("start");
			await settled(page);
			await more(2);
			expect(await gap()).toBeGreaterThan(300);
			await scroll("end");
			await settled(page);
			await more(3);
			await expect.poll(gap).toBeLessThan(3);
			await page.context().close();
		});
	});

	it("gives way to a review, which is read from its beginning", async () => {
		const page = await show(stage, [ready, event("turn.started", { turn: turn() })]);
		const text = Array.from({ length: 60 }, (_, i) => `Line ${i}.\n\n`).join("");
		await page.evaluate((e) => window.dev.tell([e]), event("turn.text", { delta: { turn: "t1", text } }));
		await page.getByText("Line 59.").waitFor();
		const top = () =>
			page.evaluate(() => {
				const [card, scroll] = [".ea-review", ".ea-scroll"].map((at) => document.querySelector(at));
				return Math.abs(card!.getBoundingClientRect().top - scroll!.getBoundingClientRect().top);
			});
		await page.evaluate((e) => window.dev.tell([e]), event("review.opened", { review: review() }));
		await settled(page);
		await expect.poll(top).toBeLessThan(20);
		const ended = turn({ phase: "done", outcome: "plan", reply: text, run: "r1" });
		await page.evaluate((e) => window.dev.tell([e]), event("turn.ended", { turn: ended }));
		await page.getByRole("button", { name: "Copy answer" }).waitFor();
		await settled(page);
		await expect.poll(top).toBeLessThan(20);
		await page.context().close();
	});

	it("shows where the time of a run went, and copies the link that opens it", async () => {
		const url = "obsidian://embedded-agent?run=t1";
		const ended: Turn = { ...agent, phase: "done", outcome: "answer", reply: "Yes.", tracesUrl: url };
		const span = { id: "s", name: "vault.readFile", kind: "tool", startMs: 10, durationMs: 30, status: "ok" };
		const page = await show(
			stage,
			[ready, event("turn.ended", { turn: ended })],
			{},
			{ "trace.get": { spans: [span], otlp: "" } },
		);
		await page.getByText("Activity").click();
		const row = page.getByRole("list", { name: "Activity" }).getByRole("listitem");
		expect((await row.innerText()).replace(/\s+/g, " ")).toContain("vault.readFile");
		expect(await asked(page, "trace.get")).toEqual([{ run: "t1" }]);
		await button(page, "Copy link").click();
		expect(await page.evaluate(() => window.dev.app.heard.copied)).toEqual([url]);
		await page.context().close();
	});
});
