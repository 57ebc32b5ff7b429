// The chat in Chromium: what a person writes, adds, sends, and finds again.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Send, Turn } from "../../protocol";
import { findChromium } from "../../dev/build";
import { agentCall, attach, estimated, withNames } from "../../dev/chat";
import { action, event, review, state, turn } from "../../dev/fixtures";
import { asked, openStage, ready, settled, show, type Stage } from "../../dev/stage";

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const sent = async (page: Page) => (await asked(page, "send")) as Send[];
const askedOf = async (page: Page) => (await asked(page, "hidden")) as { paths: string[] }[];
const accepts = { send: { turn: "t1" } };
const done = turn({
	phase: "done",
	outcome: "answer",
	text: "Which notes?",
	reply: "Two **notes**.",
	conversation: "c",
});
const agent = turn({ mode: "agent", phase: "streaming" });

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
			await field(page).pressSequentially("one two three");
			const meter = page.getByRole("meter", { name: "Size of the message" });
			await meter.waitFor();
			expect(await meter.getAttribute("aria-valuetext")).toBe(
				"About 6,480 of 128,000 tokens will be sent. That costs about $0.011.",
			);
			const whole = ((await asked(page, "estimate")) as { send?: Send }[]).filter((e) => e.send);
			expect(whole.at(-1)?.send).toMatchObject({ text: "one two three", mode: "plan" });
			expect(whole.length).toBeLessThan(5);
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
				.toContain("You cannot attach more");
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
			expect(await page.getByText("Sent while it worked: Leave the headings").count()).toBe(1);
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

		it("its calls are told live with name, time, cache and scope, and open in place", async () => {
			const page = await show(stage, [
				ready,
				event("turn.started", { turn: agent }),
				agentCall(1, { tool: "vault.searchText", cached: true, durationMs: 4 }),
				agentCall(2, { tool: "http.request", secretScope: "vault", durationMs: 812 }),
				agentCall(3, { tool: "vault.readFile", status: "running", result: "" }),
			]);
			const rows = page.getByRole("list", { name: "Calls" }).getByRole("listitem");
			expect((await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "))).toEqual([
				expect.stringMatching(/Done vault.searchText .*Cached 4 ms/),
				expect.stringMatching(/Done http.request .*Vault key 812 ms/),
				expect.stringMatching(/Running vault.readFile/),
			]);
			await rows.nth(1).getByRole("button").click();
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

		it("is asked for again in its place, with what went along", async () => {
			const with1: Turn = { ...done, mode: "agent", attached: [{ kind: "note", path: "a.md" }] };
			const page = await show(
				stage,
				[ready, event("turn.ended", { turn: with1 })],
				{},
				{ send: { turn: "t2" } },
			);
			await button(page, "Answer again").click();
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
