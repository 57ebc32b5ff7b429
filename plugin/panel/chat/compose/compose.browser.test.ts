// The message in Chromium: what a person writes, adds and sends, and to which model.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Send } from "../../../protocol";
import { findChromium } from "../../../../test/dev/build";
import { attach, estimated, withNames } from "../../../../test/dev/chat";
import { action, event, state } from "../../../../test/dev/fixtures";
import { asked, openStage, ready, settled, show, type Stage } from "../../../../test/dev/stage";
import { accepts, agent, askedOf, button, done, field, sent } from "../../../../test/dev/conversation";

describe.skipIf(!findChromium())("the message", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	describe("what goes along", () => {
		it("is sent as it stands in the card, and is gone from the next message", async () => {
			const page = await show(stage, [ready], {}, { ...accepts, estimate: estimated });
			await attach(page);
			await page.getByRole("radio", { name: "Agent" }).check({ force: true });
			await button(page, "Leave out the active note").click();
			await button(page, "Leave out the selection").click();
			await button(page, "Leave out heap.png").click();
			await field(page).fill("Tidy");
			await button(page, "Run").click();
			expect(await sent(page)).toEqual([
				{
					text: "Tidy",
					mode: "agent",
					dryRun: false,
					useSelection: false,
					conversation: expect.any(String) as string,
					omitActive: true,
					attached: [
						{ kind: "folder", path: "Projects/Community garden" },
						{ kind: "heading", path: "Garden/Compost.md", name: "What goes in" },
					],
				},
			]);
			expect(await page.getByRole("group", { name: "Folder" }).count()).toBe(0);
			expect(await page.getByRole("group", { name: "Active note" }).count()).toBe(1);
			await page.context().close();
		});

		it("is left out by a key, thing by thing: the next has the keyboard, and the message at last", async () => {
			const page = await show(stage, [ready], {}, { ...accepts, estimate: estimated });
			await attach(page);
			const has = () =>
				page.evaluate(() => {
					const el = document.activeElement;
					return el?.getAttribute("aria-label") ?? el?.tagName;
				});
			await button(page, "Leave out heap.png").press("Enter");
			await expect.poll(has).toMatch(/^Leave out /);
			const things = page.locator(".ea-context button");
			for (let left = await things.count(); left > 0; left--) {
				expect(await things.count()).toBe(left);
				await page.keyboard.press("Enter");
				await expect.poll(() => things.count()).toBe(left - 1);
				await expect.poll(has).toMatch(left > 1 ? /^Leave out / : /^TEXTAREA$/);
			}
			await page.context().close();
		});

		it("says of a note that the settings keep out of sight that it is not sent", async () => {
			const hidden = { paths: ["Garden/Compost.md"] };
			const page = await show(stage, [ready], {}, { ...accepts, estimate: estimated, hidden });
			await attach(page);
			const heading = page.getByRole("group", { name: "Heading" });
			await expect.poll(() => heading.innerText()).toContain("Not sent: this note is under");
			expect(await page.getByRole("group", { name: "Folder" }).innerText()).not.toContain("Not sent");
			const asked = (await askedOf(page)).at(-1);
			expect(asked?.paths).toContain("Projects/Community garden");
			await page.context().close();
		});

		it("brings back the selection and the active note by the toolbar", async () => {
			const page = await show(stage, [ready], {}, { estimate: estimated });
			await attach(page);
			await button(page, "Leave out the selection").click();
			await button(page, "Use the selection").click();
			expect(await page.getByRole("group", { name: "Selection" }).innerText()).toContain("about 212 tokens");
			await button(page, "Leave out the active note").click();
			await button(page, "Add to the message").click();
			await page.evaluate(() => window.dev.app.heard.menu.find((e) => e.title === "Active note")?.run());
			expect(await page.getByRole("group", { name: "Active note" }).count()).toBe(1);
			await page.context().close();
		});

		it("tells tokens, window and price of all of it, once the person pauses", async () => {
			const page = await show(stage, [ready], {}, { estimate: estimated });
			const whole = async () =>
				((await asked(page, "estimate")) as { send?: Send }[]).flatMap(({ send }) => send ?? []);
			// All in one task of the page: what waits for a pause cannot begin before its end.
			await field(page).evaluate(async (typed: HTMLTextAreaElement) => {
				for (const text of ["one", "one two", "one two three"]) {
					typed.value = text;
					typed.dispatchEvent(new InputEvent("input", { bubbles: true }));
					for (let drawn = 0; drawn < 10; drawn++) await Promise.resolve();
				}
			});
			const meter = page.getByRole("meter", { name: "Size of the message" });
			await meter.waitFor();
			expect(await meter.getAttribute("aria-valuetext")).toBe(
				"About 6,480 of 128,000 tokens will be sent. That costs about $0.011.",
			);
			expect(await whole()).toMatchObject([{ text: "one two three", mode: "plan" }]);
			await page.context().close();
		});

		it("shows no meter where the core does not know", async () => {
			const page = await show(stage, [ready], {}, { estimate: { snippet: "", tokens: 0 } });
			await field(page).fill("x");
			await expect.poll(async () => (await asked(page, "estimate")).length).toBeGreaterThan(0);
			await settled(page);
			expect(await page.getByRole("meter").count()).toBe(0);
			await page.context().close();
		});
	});

	describe("@ and /", () => {
		it("finds a note, attaches it and names it in the text, by keyboard", async () => {
			const page = await show(stage, [ready], {}, accepts);
			await withNames(page);
			await field(page).pressSequentially("Tidy @comp");
			await page.getByRole("option", { name: /^Compost Garden/ }).waitFor();
			const active = () => field(page).getAttribute("aria-activedescendant");
			const first = await active();
			await field(page).press("ArrowDown");
			expect(await active()).not.toBe(first);
			await field(page).press("ArrowUp");
			await field(page).press("Enter");
			expect(await field(page).inputValue()).toBe("Tidy [[Garden/Compost]] ");
			expect(await sent(page)).toEqual([]);
			await field(page).press("Enter");
			expect((await sent(page))[0]?.attached).toEqual([
				{ kind: "note", path: "Garden/Compost.md", name: "" },
			]);
			await page.context().close();
		});

		it("closes by Escape first; only the next Escape stops", async () => {
			const page = await show(stage, [ready, event("turn.started", { turn: agent })]);
			await withNames(page);
			await field(page).pressSequentially("@comp");
			await page.getByRole("listbox").waitFor();
			await field(page).press("Escape");
			expect(await page.getByRole("listbox").count()).toBe(0);
			expect(await asked(page, "stop")).toEqual([]);
			await field(page).press("Escape");
			expect(await asked(page, "stop")).toEqual([{ id: "t1" }]);
			await page.context().close();
		});

		it("runs a saved action by /, and offers those that need a model only where there is one", async () => {
			const actions = [action(), action({ id: "a2", name: "Daily summary", needsModel: true })];
			const page = await show(stage, [event("state", { state: state({ ready: false, actions }) })]);
			await field(page).pressSequentially("/");
			expect(await page.getByRole("option").allInnerTexts()).toHaveLength(2);
			expect(await page.getByRole("option", { name: /Daily summary/ }).getAttribute("aria-disabled")).toBe(
				"true",
			);
			await field(page).pressSequentially("bul");
			await field(page).press("Tab");
			expect(await asked(page, "actions.run")).toEqual([{ id: "act1" }]);
			expect(await field(page).inputValue()).toBe("");
			await page.context().close();
		});
	});

	describe("images and notes", () => {
		/** Drops or pastes a picture that the page draws, of width by height pixels. */
		const give = (page: Page, how: "paste" | "drop", width: number, type = "image/png", text = "") =>
			page.evaluate(
				async ([how, width, type, text]) => {
					const canvas = document.createElement("canvas");
					Object.assign(canvas, { width, height: width / 2 });
					const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
					const data = new DataTransfer();
					if (text) data.setData("text/plain", text);
					else data.items.add(new File([blob!], "shot.png", { type }));
					const message = document.querySelector(".ea-message")!;
					const init = { bubbles: true, cancelable: true };
					message.dispatchEvent(
						how === "paste"
							? new ClipboardEvent("paste", { ...init, clipboardData: data })
							: new DragEvent("drop", { ...init, dataTransfer: data }),
					);
				},
				[how, width, type, text] as const,
			);

		it("go along small, with a thumbnail: a large one is reduced", async () => {
			const page = await show(stage, [ready], {}, accepts);
			await give(page, "paste", 40);
			await give(page, "drop", 6000);
			await expect.poll(() => page.locator("img.ea-thumbnail").count()).toBe(2);
			const sizes = await page.evaluate(() =>
				Promise.all(
					[...document.querySelectorAll<HTMLImageElement>("img.ea-thumbnail")].map(async (img) => {
						await img.decode();
						return [img.naturalWidth, img.naturalHeight];
					}),
				),
			);
			expect(sizes).toEqual([
				[40, 20],
				[1568, 784],
			]);
			await field(page).fill("What is this?");
			await field(page).press("Enter");
			const [first] = await sent(page);
			expect(first?.attached?.map((a) => [a.kind, a.type, (a.data ?? "").length > 100])).toEqual([
				["image", "image/png", true],
				["image", "image/jpeg", true],
			]);
			await page.context().close();
		});

		it("are refused in words where there are too many, or they are of another kind", async () => {
			const page = await show(stage, [ready]);
			await give(page, "drop", 40, "application/pdf");
			await expect
				.poll(() => page.evaluate(() => window.dev.app.heard.notices.join(" ")))
				.toContain("“shot.png” cannot be attached.");
			for (let n = 0; n < 5; n++) await give(page, "drop", 20 + 2 * n);
			await expect
				.poll(() => page.evaluate(() => window.dev.app.heard.notices.join(" ")))
				.toContain("Nothing more can be attached");
			expect(await page.locator("img.ea-thumbnail").count()).toBe(4);
			await page.context().close();
		});

		it("of the vault go along when a link to them is dropped; other text stays text", async () => {
			const page = await show(stage, [ready]);
			await withNames(page);
			await give(page, "drop", 0, "", "[[Garden/Compost.md]]");
			expect(await page.getByRole("group", { name: "Note" }).innerText()).toContain("Compost");
			await give(page, "drop", 0, "", "just words");
			expect(await page.getByRole("group", { name: "Note" }).count()).toBe(1);
			await page.context().close();
		});
	});

	describe("keys", () => {
		it("are turned round by the option", async () => {
			const page = await show(stage, [ready], {}, accepts);
			await page.evaluate(
				() => (window.dev.app.prefers = { provider: "openai", model: "m", enterBreaks: true }),
			);
			await field(page).pressSequentially("one");
			await field(page).press("Enter");
			await field(page).pressSequentially("two");
			expect(await sent(page)).toEqual([]);
			await field(page).press("Shift+Enter");
			expect((await sent(page))[0]?.text).toBe("one\ntwo");
			await page.context().close();
		});

		it("belong to an input method while it composes", async () => {
			const page = await show(stage, [ready], {}, accepts);
			await field(page).focus();
			const client = await page.context().newCDPSession(page);
			await client.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
			await page.evaluate(() =>
				document.activeElement?.dispatchEvent(
					new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
				),
			);
			expect(await sent(page)).toEqual([]);
			await client.send("Input.insertText", { text: "日" });
			await field(page).press("Enter");
			expect((await sent(page))[0]?.text).toBe("日");
			await page.context().close();
		});

		it("recall what was said at the text's edges, and lose nothing that is written", async () => {
			const said = ["first", "second"].map((text, n) =>
				event("turn.ended", { turn: { ...done, id: `t${n}`, text } }),
			);
			const page = await show(stage, [ready, ...said]);
			await field(page).press("ArrowUp");
			await field(page).press("Home");
			await field(page).press("ArrowUp");
			expect(await field(page).inputValue()).toBe("first");
			await field(page).fill("something new");
			await field(page).press("Home");
			await field(page).press("ArrowUp");
			expect(await field(page).inputValue()).toBe("something new");
			await page.context().close();
		});
	});

	describe("the model", () => {
		const models = { "models.list": { models: ["small", "large"] }, ...accepts };

		it("is chosen by typing, goes with the messages, and is remembered", async () => {
			const page = await show(stage, [event("state", { state: state() })], {}, models);
			await page.getByRole("button", { name: "Model gpt-5.2" }).click();
			await page.getByRole("option", { name: "large" }).waitFor();
			await page.keyboard.type("lar");
			expect(await page.getByRole("option").allInnerTexts()).toEqual(["large", "Use lar"]);
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Model large" }).waitFor();
			await field(page).fill("x");
			await field(page).press("Enter");
			expect((await sent(page))[0]?.model).toBe("large");
			await page.reload();
			await page.getByRole("button", { name: "Model large" }).waitFor();
			// It is no model of another provider.
			await page.evaluate((fresh) => {
				window.dev.app.prefers = { provider: "anthropic", model: "other", enterBreaks: false };
				window.dev.controller.reset(fresh);
			}, state());
			await page.getByRole("button", { name: "Model other" }).waitFor();
			await page.context().close();
		});

		it("can be entered where there is no list, and Escape only closes", async () => {
			const page = await show(stage, [
				event("state", { state: state() }),
				event("turn.started", { turn: agent }),
			]);
			await page.evaluate(
				() => (window.dev.failures["models.list"] = { code: "NOT_FOUND", key: "error.method.unknown" }),
			);
			const pick = page.getByRole("button", { name: /^Model/ });
			await pick.click();
			await page.getByText("No list of models is available.").waitFor();
			await page.keyboard.type("my/model");
			await page.keyboard.press("Escape");
			expect(await page.getByRole("combobox").count()).toBe(0);
			expect(await asked(page, "stop")).toEqual([]);
			expect(await page.getByRole("group", { name: "Problem" }).count()).toBe(0);
			await pick.click();
			await page.keyboard.type("my/model");
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Model my/model" }).waitFor();
			await page.context().close();
		});
	});
});
