// Saved actions, tools and community plugins in Chromium: what a person does,
// and what the core is asked.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, type Look } from "../../../test/dev/build";
import { action, call, can, event, review, runState, state, words } from "../../../test/dev/fixtures";
import {
	detail,
	grouped,
	imported,
	plugins,
	reached,
	reachedBefore,
	toolbox,
} from "../../../test/dev/saved-scenes";
import { asked, openStage, show, type Stage } from "../../../test/dev/stage";
import { t } from "../../../i18n";
import type { Action, Event } from "../../protocol";

describe.skipIf(!findChromium())("the panel", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	async function open(
		events: Event[],
		answers: Record<string, unknown> = {},
		look: Look = {},
	): Promise<Page> {
		const page = await show(stage, events, look, answers);
		onTestFinished(() => page.context().close());
		return page;
	}
	const withActions = (actions: Action[]) => [event("state", { state: state({ actions }) })];

	const choose = async (page: Page, button: string, title: string) => {
		await page.getByRole("button", { name: button, exact: true }).click();
		await page.evaluate((wanted) => {
			const entry = window.dev.app.heard.menu.find((e) => e.title === wanted);
			if (!entry) throw new Error(`no ${wanted}`);
			entry.run();
		}, title);
	};
	const titles = (page: Page) => page.evaluate(() => window.dev.app.heard.menu.map((e) => e.title));
	const chips = (page: Page) => page.locator(".ea-chip-main").allInnerTexts();

	describe("saved actions", () => {
		it("stand in groups that fold, with those of the plugin last", async () => {
			const page = await open(withActions(grouped));
			const garden = page.getByRole("list", { name: "Garden" });
			expect(await garden.getByRole("listitem").count()).toBe(2);
			await page.getByRole("button", { name: "Garden" }).click();
			expect(await garden.count()).toBe(0);
			const bundled = page.getByRole("list", { name: "Built-in actions" });
			// Once there are own actions, the plugin's stand back.
			expect(await bundled.count()).toBe(0);
			await page.getByRole("button", { name: "Built-in actions" }).click();
			await bundled.waitFor();
		});

		it("are put in order with Alt and an arrow, by the menu, and by dragging", async () => {
			const page = await open(withActions(grouped));
			const order = async () => ((await asked(page, "actions.order")) as { ids: string[] }[]).at(-1)?.ids;
			const answer = (actions: Action[]) =>
				page.evaluate((a) => (window.dev.answers["actions.order"] = { actions: a }), actions);
			const [a1, a2, a3, b1, b2] = grouped as [Action, Action, Action, Action, Action];
			await answer([a1, a3, a2, b1, b2]);
			await page.getByRole("button", { name: "Water the beds", exact: true }).press("Alt+ArrowDown");
			await expect.poll(order).toEqual(["a1", "a3", "a2", "b1", "b2"]);
			await expect
				.poll(async () => (await chips(page)).slice(1, 3).map((c) => c.split("\n")[0]))
				.toEqual(["Weather note", "Water the beds"]);
			await answer(grouped);
			await choose(page, "More options for Water the beds", "Move up");
			await expect.poll(order).toEqual(["a1", "a2", "a3", "b1", "b2"]);
			await page.getByRole("button", { name: "Built-in actions" }).click();
			await page
				.getByRole("button", { name: "Roll over tasks", exact: true })
				.dragTo(page.getByRole("button", { name: "Folder index", exact: true }));
			await expect.poll(order).toEqual(["a1", "a2", "a3", "b2", "b1"]);
			expect((await asked(page, "actions.order")).length).toBe(3);
		});

		it("get an icon, a group and a place in the ribbon; all else of them stays", async () => {
			const kept = detail({
				action: action({ id: "a2", name: "Water the beds", icon: "play", kind: "plan" }),
			});
			const page = await open(withActions(grouped), { "action.get": kept, "action.put": kept });
			const put = async () => (await asked(page, "action.put")).at(-1);
			const same = { id: "a2", name: "Water the beds", kind: "plan", plan: kept.plan, prompt: "" };
			await choose(page, "More options for Water the beds", "Icon");
			await page.evaluate(() => window.dev.app.pick("folder"));
			await expect.poll(put).toEqual({ ...same, icon: "folder", group: "", ribbon: false });
			await choose(page, "More options for Water the beds", "Show in ribbon");
			await expect.poll(put).toEqual({ ...same, icon: "play", group: "", ribbon: true });
			await choose(page, "More options for Water the beds", "Group");
			await page.getByLabel("Group").fill("House");
			await page.keyboard.press("Enter");
			await expect.poll(put).toEqual({ ...same, icon: "play", group: "House", ribbon: false });
		});

		it("are changed one change after the other, so that none undoes another", async () => {
			const kept = detail({
				action: action({ id: "a2", name: "Water the beds", icon: "play", kind: "plan" }),
			});
			const page = await open(withActions(grouped), { "action.get": kept, "action.put": kept });
			await page.getByRole("button", { name: "More options for Water the beds", exact: true }).click();
			await page.evaluate(() => {
				const { menu } = window.dev.app.heard;
				menu.find((e) => e.title === "Icon")?.run();
				window.dev.app.pick("folder");
				menu.find((e) => e.title === "Show in ribbon")?.run();
			});
			const methods = () =>
				page.evaluate(() =>
					window.dev.asked.map((a) => a.method).filter((m) => m === "action.get" || m === "action.put"),
				);
			await expect.poll(methods).toHaveLength(4);
			expect(await methods()).toEqual(["action.get", "action.put", "action.get", "action.put"]);
		});

		it("that come with the plugin can be hidden, copied and looked at, not changed", async () => {
			const only = grouped.filter((a) => a.bundled);
			const bundled = detail({ action: action({ id: "b1", name: "Folder index", bundled: true }) });
			const page = await open(withActions(only), { "action.get": bundled, "action.put": detail() });
			await choose(page, "More options for Folder index", "Open as steps");
			const there = await titles(page);
			expect(there).toContain("Hide");
			for (const not of ["Rename", "Delete", "Icon", "Group"]) expect(there).not.toContain(not);
			await page.getByText("This is a built-in action.").waitFor();
			expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
			await page.getByRole("button", { name: "Make a copy" }).click();
			await expect
				.poll(async () => (await asked(page, "action.put"))[0])
				.toMatchObject({ id: "", name: "Folder index (copy)", plan: bundled.plan });
			await page.getByRole("button", { name: "Back" }).click();
			await choose(page, "More options for Folder index", "Hide");
			expect(await asked(page, "actions.remove")).toEqual([{ id: "b1" }]);
		});

		it("are given as a canvas to copy; nothing is written", async () => {
			const page = await open(withActions(grouped), { "action.canvas": { json: '{"nodes":[]}' } });
			await choose(page, "More options for Notes from bullets", "Export as canvas");
			const box = page.getByRole("textbox", { name: "The steps as a JSON Canvas file" });
			expect(await box.inputValue()).toBe('{"nodes":[]}');
			await page.getByRole("button", { name: "Copy", exact: true }).click();
			expect(await page.evaluate(() => window.dev.app.heard.copied)).toEqual(['{"nodes":[]}']);
		});
	});

	describe("an action opened as steps", () => {
		const answers = { "action.get": detail(), "tools.list": { tools: toolbox }, "action.put": detail() };
		const opened = async () => {
			const page = await open(withActions(grouped), answers);
			await choose(page, "More options for Weather note", "Open as steps");
			await page.getByRole("heading", { name: "Saved action" }).waitFor();
			return page;
		};
		const plan = async (page: Page) => {
			await page.getByRole("button", { name: "Save", exact: true }).click();
			await expect.poll(async () => (await asked(page, "action.put")).length).toBeGreaterThan(0);
			const put = (await asked(page, "action.put")).at(-1) as { plan: string };
			return JSON.parse(put.plan) as { steps: Record<string, unknown>[] };
		};

		it("says where a tool is deprecated", async () => {
			const page = await opened();
			expect(await page.locator(".ea-step-line").first().innerText()).toContain("Deprecated");
		});

		it("says where a step takes its keys from", async () => {
			const page = await opened();
			expect(await page.locator(".ea-step-line").first().innerText()).toContain("Vault key");
		});

		it("has the tools of an agent step to choose from, of those that only read; its pins are of them", async () => {
			const page = await opened();
			await page.getByRole("button", { name: /agent\.run/ }).click();
			const tools = page.getByRole("group", { name: "Tools it may use" });
			await tools.getByRole("button", { name: "Add a tool" }).click();
			await tools.getByRole("button", { name: "Choose vault.readFile" }).waitFor();
			const offered = await tools.getByRole("button", { name: /^Choose / }).allInnerTexts();
			expect(offered.map((text) => text.split(/\s+/).at(-1)).sort()).toEqual([
				"http.request",
				"vault.readFile",
				"weather.today",
			]);
			for (const name of ["vault.readFile", "http.request"]) {
				await tools.getByRole("button", { name: `Choose ${name}` }).click();
				await tools.getByRole("button", { name: `Remove ${name}` }).waitFor();
				await tools.getByRole("button", { name: "Add a tool" }).click();
			}
			await tools.getByRole("button", { name: "Remove http.request" }).click();
			await page
				.getByRole("group", { name: "Pinned result weather" })
				.getByLabel("Tool")
				.selectOption("vault.readFile");
			const { steps } = await plan(page);
			const args = steps[1]?.["args"] as { tools: string[]; pins: { selector: { tool: string } }[] };
			expect(args.tools).toEqual(["vault.readFile"]);
			expect(args.pins[0]?.selector.tool).toBe("vault.readFile");
		});

		it("is saved with another title, tool, arguments, loop and order", async () => {
			const page = await opened();
			await page.getByRole("button", { name: /Read the ideas vault.oldRead/ }).click();
			await page.getByRole("textbox", { name: "Title" }).fill("Read them all");
			await page.getByRole("button", { name: "Tool: vault.oldRead@1.0.0" }).click();
			await page.getByRole("searchbox", { name: "Find a tool" }).fill("reads");
			// Deprecated tools are not offered until they are asked for.
			expect(await page.getByRole("button", { name: "Choose vault.oldRead" }).count()).toBe(0);
			await page.getByRole("button", { name: "Choose vault.readFile" }).click();
			await page.getByRole("textbox", { name: "Arguments as JSON" }).fill('{"path":"{note.path}"}');
			await page.getByRole("textbox", { name: /Repeat for each/ }).fill('[{"path":"a.md"}]');
			await page.getByRole("textbox", { name: "Name of the item" }).fill("note");
			await page.getByRole("button", { name: "Add a step" }).click();
			await page.getByRole("button", { name: "Choose vault.createFile" }).click();
			await page.getByRole("button", { name: "Move step createFile up" }).click();
			await page.getByRole("checkbox", { name: "read", exact: true }).check();
			const { steps } = await plan(page);
			expect(steps.map((s) => s["id"])).toEqual(["read", "createFile", "ask"]);
			expect(steps[0]).toEqual({
				id: "read",
				tool: "vault.readFile",
				args: { path: "{note.path}" },
				foreach: { from: [{ path: "a.md" }], itemName: "note" },
				preview: "Read them all",
			});
			expect(steps[1]?.["dependsOn"]).toEqual(["read"]);
			expect(await asked(page, "action.put")).toMatchObject([
				{ id: "weather", name: "Weather note", group: "Garden" },
			]);
		});

		it("has a form for the pins of an agent step", async () => {
			const page = await opened();
			await page.getByRole("button", { name: /agent\.run/ }).click();
			const pin = page.getByRole("group", { name: "Pinned result weather" });
			await pin.getByLabel("Which call").selectOption("by_call_id");
			await pin.getByLabel("Call ID").fill("c7");
			await pin.getByLabel("If there is no such call").selectOption("stale_last_success");
			const { steps } = await plan(page);
			expect((steps[1]?.["args"] as { pins: unknown }).pins).toEqual([
				{
					name: "weather",
					selector: { tool: "weather.today", strategy: "by_call_id", call_id: "c7" },
					on_missing: "stale_last_success",
				},
			]);
		});

		it("keeps the keyboard where a step or a pin was removed or moved", async () => {
			const page = await opened();
			const has = () =>
				page.evaluate(() => {
					const el = document.activeElement;
					return el?.getAttribute("aria-label") ?? (el?.textContent?.trim() || el?.tagName);
				});
			const press = (name: string | RegExp) => page.getByRole("button", { name }).press("Enter");
			await press("Move step Read the ideas down");
			await expect.poll(has).toMatch(/Read the ideas/);
			await press("Move step Read the ideas up");
			await expect.poll(has).toMatch(/Read the ideas/);
			await press(/agent\.run/);
			await press("Pin a result");
			await press(/^Unpin\s*$/);
			await expect
				.poll(() => page.evaluate(() => document.activeElement === document.querySelector(".ea-pin input")))
				.toBe(true);
			await press("Unpin weather");
			await expect.poll(has).toBe("Pin a result");
			await press("Delete step Read the ideas");
			await expect.poll(has).toMatch(/agent\.run/);
			await press(/^Delete step/);
			await expect.poll(has).toBe("Add a step");
		});

		it("is not sent while arguments are no JSON, and says where; what the core finds wrong is told", async () => {
			const page = await opened();
			await page.getByRole("button", { name: /Read the ideas vault.oldRead/ }).click();
			await page.getByRole("textbox", { name: "Arguments as JSON" }).fill("{path}");
			await page.getByRole("button", { name: /Read the ideas vault.oldRead/ }).click();
			await page.getByRole("button", { name: "Save", exact: true }).click();
			await page.getByText("This is not a JSON object.").waitFor();
			expect(await asked(page, "action.put")).toEqual([]);
			await page.getByRole("textbox", { name: "Arguments as JSON" }).fill("{}");
			const wrong = detail({ problems: [{ key: "panel.tool.gone" }] });
			await page.evaluate((d) => (window.dev.answers["action.put"] = d), wrong);
			await page.getByRole("button", { name: "Save", exact: true }).click();
			await page.locator(".ea-warning", { hasText: "No longer available" }).waitFor();
			await page.getByRole("heading", { name: "Saved action" }).waitFor();
		});

		it("begins anew as a prompt", async () => {
			const page = await open(withActions([]), answers);
			await choose(page, "Manage saved actions", "New action");
			await page.getByRole("textbox", { name: "Name of the action" }).fill("Ask for a summary");
			await page.getByRole("radio", { name: /^Prompt/ }).check();
			await page.getByRole("textbox", { name: "Prompt" }).fill("Sum up ${note}");
			await page.getByRole("button", { name: "Save", exact: true }).click();
			expect(await asked(page, "action.put")).toEqual([
				{
					id: "",
					name: "Ask for a summary",
					icon: "",
					group: "",
					ribbon: false,
					kind: "prompt",
					plan: "",
					prompt: "Sum up ${note}",
					fields: [],
				},
			]);
		});
	});

	describe("what an action may touch", () => {
		const words = reached.map((said) => t(said));

		it("is told of an import before it is kept, and again where its text was changed", async () => {
			const page = await open(withActions([]), { "actions.import": imported });
			await choose(page, "Manage saved actions", "Import");
			const box = page.getByRole("textbox", { name: "Or paste the JSON" });
			await box.fill('{"a":1}');
			expect(await page.getByRole("button", { name: "Import these actions" }).count()).toBe(0);
			await page.getByRole("button", { name: "Preview" }).click();
			await page.getByRole("button", { name: "Import these actions" }).waitFor();
			expect(await page.locator(".ea-summary li").allInnerTexts()).toEqual(words);
			await box.fill('{"a":2}');
			expect(await page.getByRole("button", { name: "Import these actions" }).count()).toBe(0);
			expect(await page.locator(".ea-summary").count()).toBe(0);
			await page.getByRole("button", { name: "Preview" }).click();
			await page.evaluate((kept) => (window.dev.answers["actions.import"] = kept), {
				...imported,
				kept: true,
			});
			await page.getByRole("button", { name: "Import these actions" }).click();
			await expect
				.poll(() => asked(page, "actions.import"))
				.toEqual([
					{ json: '{"a":1}', confirm: false },
					{ json: '{"a":2}', confirm: false },
					{ json: '{"a":2}', confirm: true },
				]);
		});

		it("stands in the editor, and what a change adds is read before it closes", async () => {
			const page = await open(withActions(grouped), {
				"action.get": detail({ touches: reachedBefore }),
				"tools.list": { tools: toolbox },
				"action.put": detail({ touches: reached, beyond: reached.slice(0, 3) }),
			});
			await choose(page, "More options for Weather note", "Open as steps");
			await page.getByText("What it may do").click();
			expect(await page.locator(".ea-touches li").allInnerTexts()).toEqual(
				reachedBefore.map((said) => t(said)),
			);
			await page.getByRole("button", { name: "Save", exact: true }).click();
			const added = page.getByRole("status", { name: "After this change, it may also do the following" });
			await added.waitFor();
			expect(await added.getByRole("listitem").allInnerTexts()).toEqual(words.slice(0, 3));
			await page.getByRole("heading", { name: "Saved action" }).waitFor();
			// Saved again, nothing is new: it closes.
			await page.evaluate((d) => (window.dev.answers["action.put"] = d), detail({ touches: reached }));
			await page.getByRole("button", { name: "Save", exact: true }).click();
			await page.getByRole("heading", { name: "Saved action" }).waitFor({ state: "detached" });
		});
	});

	describe("a call of the timeline", () => {
		const over = event("run.state", { run: runState({ state: "finished", outcome: "ok", can }) });
		const told = (fields = {}) =>
			event("exec", {
				exec: {
					type: "step.finished",
					runId: "r1",
					timestamp: "",
					level: "info",
					message: "",
					call: call(1, { index: -1, ...fields }),
				},
			});

		it("becomes a step of an action that the person picks, which is opened then", async () => {
			const page = await open([...withActions(grouped), told(), over], { "action.step": detail() });
			await page
				.getByRole("region", { name: "Run log" })
				.getByRole("button", { name: "Created Note 1" })
				.click();
			await page.getByRole("button", { name: "Turn into a step" }).click();
			const offered = await page.evaluate(() => window.dev.app.heard.offered.map((c) => c.label));
			expect(offered).toEqual(["New action", "Notes from bullets", "Water the beds", "Weather note"]);
			await page.evaluate(() => window.dev.app.pick("a2"));
			await page.getByRole("heading", { name: "Saved action" }).waitFor();
			expect(await asked(page, "action.step")).toEqual([{ run: "r1", callId: "call-1", action: "a2" }]);
		});

		it("of an agent offers each of its pins as a step too", async () => {
			const agent = {
				tool: "agent.run",
				deed: { key: "deed.asked" },
				paths: [],
				result: '{"pins":{"weather":{"text":"Sunny…',
				pins: ["weather"],
			};
			const page = await open([...withActions(grouped), told(agent), over], { "action.step": detail() });
			await page
				.getByRole("region", { name: "Run log" })
				.getByRole("button", { name: "Asked the model" })
				.click();
			await page.getByRole("button", { name: "Turn weather into a step" }).click();
			await page.evaluate(() => window.dev.app.pick(""));
			await expect
				.poll(() => asked(page, "action.step"))
				.toEqual([{ run: "r1", callId: "call-1", pin: "weather", name: "weather" }]);
		});
	});

	describe("the tools", () => {
		it("show category, key and lifecycle, and are switched and pinned", async () => {
			const page = await open(withActions(grouped), { "tools.list": { tools: toolbox } });
			await choose(page, "Manage saved actions", "Tools");
			const tools = page.getByRole("region", { name: "Tools" });
			await tools.getByText("Key missing").waitFor();
			await tools.getByText("Key: organisation").waitFor();
			await tools.getByText("the organisation's is used").waitFor();
			expect(await tools.getByText("vault.oldRead").count()).toBe(0);
			await tools.getByLabel("Show 1 deprecated tool").check();
			await tools.getByText("Use vault.readFile instead. Used by: Notes from bullets.").waitFor();
			await tools.getByLabel("Category").selectOption("web");
			await expect.poll(() => tools.getByRole("listitem").count()).toBe(2);
			await tools.getByRole("checkbox", { name: "Use weather.today" }).uncheck();
			await tools.getByRole("button", { name: "Pin weather.today" }).click();
			const kept = () => page.evaluate(() => window.dev.app.settings());
			expect(await kept()).toMatchObject({
				disabledTools: ["weather.today"],
				pinnedTools: ["weather.today"],
			});
		});
	});

	describe("recommendations", () => {
		it("say who made a plugin and whether it is here, and install nothing", async () => {
			const page = await open(withActions(grouped), { "plugins.search": plugins });
			await page.getByRole("textbox", { name: "Message" }).fill("a kanban board");
			await choose(page, "Manage saved actions", "Community plugins");
			// The words that were being written are looked for.
			await page.getByRole("button", { name: "Search", exact: true }).click();
			expect(await asked(page, "plugins.search")).toEqual([{ text: "a kanban board", limit: 20 }]);
			const first = page.getByRole("listitem").filter({ hasText: "May help: Kanban by mgmeyers" });
			await first.getByText("Installed, switched off").waitFor();
			expect(await page.locator("footer .ea-warning").innerText()).toMatch(
				/^The list could not be fetched, so this is an older copy\. List from Nov 18, 2026/,
			);
			await first.getByRole("button", { name: "Copy ID" }).click();
			await page.getByRole("button", { name: "Open Community plugins" }).click();
			expect(
				await page.evaluate(() => [window.dev.app.heard.copied, window.dev.app.heard.communityPlugins]),
			).toEqual([["obsidian-kanban"], 1]);
			await page.getByRole("button", { name: "Refresh the list" }).click();
			expect((await asked(page, "plugins.search")).at(-1)).toMatchObject({ refresh: true });
		});

		it("of the agent are shown the same way in a review", async () => {
			const found = { text: words("2 results"), count: 2, plugins: plugins.plugins };
			const findings = { parts: [found], done: true, plan: "{}" };
			const page = await open([...withActions([]), event("review.opened", { review: review({ findings }) })]);
			await page.getByText("May help: Tasks by Clare Macrae").waitFor();
		});
	});
});
