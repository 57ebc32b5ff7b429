// Kept conversations in Chromium: they are found again and gone on with.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../../../test/dev/build";
import { event, state } from "../../../test/dev/fixtures";
import { asked, openStage, ready, settled, show, type Stage } from "../../../test/dev/stage";
import { accepts, button, done, field, sent } from "../../../test/dev/conversation";

describe.skipIf(!findChromium())("the chat", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	describe("conversations", () => {
		const talk = { id: "c9", title: "Compost", updatedAt: "2026-11-19T18:20:00.000Z", turns: 1 };
		const answers = {
			...accepts,
			"conversations.list": { conversations: [talk] },
			"conversation.get": { conversation: talk, turns: [{ ...done, conversation: "c9" }] },
			"conversation.rename": { conversations: [talk] },
			"conversation.remove": { conversations: [] },
			"conversation.export": { run: "r5" },
		};
		const choose = async (page: Page, title: string) => {
			await button(page, "More options for Compost").click();
			await page.evaluate((t) => window.dev.app.heard.menu.find((e) => e.title === t)?.run(), title);
		};

		it("are searched, opened and gone on with", async () => {
			const page = await show(stage, [ready], {}, answers);
			await button(page, "Conversations").click();
			await page.getByRole("searchbox", { name: "Search conversations" }).fill("comp");
			await expect.poll(() => asked(page, "conversations.list")).toContainEqual({ text: "comp", limit: 30 });
			// Asked once at the opening and once for what was typed: what is found asks for nothing.
			await page.getByRole("button", { name: /^Compost Nov 19/ }).waitFor();
			await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3 * 200)));
			expect(await asked(page, "conversations.list")).toHaveLength(2);
			await page.getByRole("button", { name: /^Compost Nov 19/ }).click();
			await page.getByText("Two notes.").waitFor();
			await field(page).fill("And more?");
			await field(page).press("Enter");
			expect((await sent(page))[0]?.conversation).toBe("c9");
			await page.context().close();
		});

		it("are renamed, written to a note, and removed after a question", async () => {
			const page = await show(stage, [ready], {}, answers);
			await button(page, "Conversations").click();
			await choose(page, "Rename");
			await page.getByLabel("New title").fill("Heaps");
			await page.keyboard.press("Enter");
			await expect.poll(() => asked(page, "conversation.rename")).toEqual([{ id: "c9", title: "Heaps" }]);
			await choose(page, "Delete");
			await button(page, "Delete").click();
			await expect.poll(() => asked(page, "conversation.remove")).toEqual([{ id: "c9" }]);
			// A list that ran empty and was filled again still has its name.
			const search = page.getByRole("searchbox");
			const list = page.getByRole("list", { name: "Conversations" });
			await page.evaluate(() => (window.dev.answers["conversations.list"] = { conversations: [] }));
			await search.fill("nothing");
			await page.getByText("No conversation contains these words.").waitFor();
			await page.evaluate(
				(all) => (window.dev.answers["conversations.list"] = all),
				answers["conversations.list"],
			);
			await search.fill("");
			await list.getByRole("listitem").waitFor();
			await choose(page, "Save to a note");
			expect(await page.getByLabel("Path of the note").inputValue()).toBe("Compost.md");
			await button(page, "Review the note").click();
			await expect.poll(() => asked(page, "conversation.export")).toEqual([{ id: "c9", path: "Compost.md" }]);
			await page.getByRole("searchbox").waitFor({ state: "detached" });
			await page.context().close();
		});

		it("the last one is there again after a reload; a new one is not mixed with it", async () => {
			const page = await show(stage, [ready], {}, answers);
			await button(page, "Conversations").click();
			await page.getByRole("button", { name: /^Compost Nov 19/ }).click();
			await page.getByText("Two notes.").waitFor();
			await page.reload();
			await page.evaluate(
				async ([answers, ready]) => {
					Object.assign(window.dev.answers, answers);
					window.dev.tell([ready]);
					await window.dev.controller.start();
				},
				[answers, ready] as const,
			);
			await page.getByText("Two notes.").waitFor();
			await button(page, "New conversation").click();
			expect(await page.getByText("Two notes.").count()).toBe(0);
			// The core's whole state still holds the last turn of the other conversation.
			await page.evaluate(
				(e) => window.dev.tell([e]),
				event("state", { state: state({ turn: { ...done, conversation: "c9" } }) }),
			);
			expect(await page.getByText("Two notes.").count()).toBe(0);
			await page.context().close();
		});

		it("a core that keeps none complains of nothing at the start", async () => {
			const page = await show(stage, [ready]);
			await page.evaluate(async () => {
				sessionStorage.setItem("conversation", "c1");
				window.dev.failures["conversation.get"] = { code: "NOT_FOUND", key: "error.method.unknown" };
				await window.dev.controller.start();
			});
			await settled(page);
			expect(await page.getByRole("group", { name: "Problem" }).count()).toBe(0);
			await page.context().close();
		});

		it("the draft is kept across a reload", async () => {
			const page = await show(stage, [ready]);
			await field(page).fill("half a thought");
			await page.reload();
			expect(await field(page).inputValue()).toBe("half a thought");
			await page.context().close();
		});
	});
});
