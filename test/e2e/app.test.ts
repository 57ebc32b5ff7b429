import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	launchChromium,
	openNote,
	readNote,
	repository,
	runPlayground,
	type Playground,
	type PlaygroundOptions,
} from "./harness";

const vault = join(repository, "test/e2e/harness/fixture-vault");
const plugin = join(repository, "test/e2e/harness/fixture-plugin");
let browser: Browser;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

/** Runs with a playground of its own. */
function withPlayground(
	options: Partial<PlaygroundOptions>,
	work: (playground: Playground) => Promise<void>,
): Promise<void> {
	return runPlayground({ vault, plugin: null, browser, ...options }, work);
}

describe("the app", () => {
	test("views in tabs that are not shown are deferred after a start, until they are revealed", async () => {
		await withPlayground({ plugin }, async (playground) => {
			const { page } = playground;
			await page.evaluate(async () => {
				const leaf = window.app.workspace.getRightLeaf(false);
				await leaf?.setViewState({ type: "fixture-view" });
				window.app.workspace.rightSplit.collapse();
				await window.app.workspace.requestSaveLayout.run();
			});
			await playground.restart();
			const state = await page.evaluate(async () => {
				const [leaf] = window.app.workspace.getLeavesOfType("fixture-view");
				const before = [leaf?.isDeferred, leaf?.view.constructor.name];
				if (leaf) await window.app.workspace.revealLeaf(leaf);
				return [...before, leaf?.isDeferred, leaf?.view.constructor.name];
			});
			expect(state).toEqual([true, expect.stringContaining("DeferredView"), false, "FixtureView"]);
		});
	});

	test("a plugin that requires what the app does not give is not loaded, and says why", async () => {
		await withPlayground({ plugin }, async (playground) => {
			const main = join(playground.vaultDir, ".obsidian/plugins/fixture/main.js");
			for (const name of ["fs", "@codemirror/merge", "electron"]) {
				writeFileSync(main, `require(${JSON.stringify(name)});`);
				await playground.restart();
				await playground.page.getByText(`requires "${name}", which the app does not provide`).waitFor();
				expect(await playground.page.evaluate(() => Object.keys(window.app.plugins.plugins))).toEqual([]);
			}
		});
	});

	test("what is not implemented throws by its name", async () => {
		await withPlayground({}, async ({ page }) => {
			const messages = await page.evaluate(() => {
				const { obsidian, app } = window.__playground ?? {};
				const attempts = [
					() => (obsidian as unknown as { BasesView: unknown }).BasesView,
					() => (app as unknown as { dom: unknown }).dom,
				];
				return attempts.map((attempt) => {
					try {
						return attempt();
					} catch (error) {
						return (error as Error).message;
					}
				});
			});
			expect(messages).toEqual([
				'The playground does not implement BasesView of the module "obsidian".',
				"The playground does not implement App.dom.",
			]);
		});
	});

	test("an editor holds line feeds alone and writes only what was edited", async () => {
		await withPlayground({}, async (playground) => {
			const { page, vaultDir } = playground;
			writeFileSync(join(vaultDir, "crlf.md"), "one\r\ntwo\r\n");
			await page.waitForFunction(() => window.app.vault.getFileByPath("crlf.md") !== null);
			await openNote(page, "crlf.md");
			expect(await page.evaluate(() => window.app.workspace.activeEditor?.editor?.getValue())).toBe(
				"one\ntwo\n",
			);
			await openNote(page, "Home.md");
			expect(readNote(playground, "crlf.md")).toBe("one\r\ntwo\r\n");
			await openNote(page, "crlf.md");
			await page.evaluate(() => {
				window.app.workspace.activeEditor?.editor?.replaceRange("three\n", { line: 2, ch: 0 });
				window.app.commands.executeCommandById("editor:save-file");
			});
			await expect.poll(() => readNote(playground, "crlf.md")).toBe("one\ntwo\nthree\n");
		});
	});
});

describe("what plugins add", () => {
	test("menus of the editor, of files and of tabs are asked of plugins, and commands and addresses run", async () => {
		await withPlayground({ plugin }, async ({ page }) => {
			await openNote(page, "Note.md");
			await page.evaluate(() => {
				const { obsidian, app } = window.__playground ?? {};
				const { workspace } = app ?? window.app;
				type Adds = {
					addItem(add: (item: { setTitle(title: string): { onClick(run: () => void): void } }) => void): void;
				};
				const add = (title: string) => (menu: Adds) =>
					menu.addItem((item) =>
						item
							.setTitle(title)
							.onClick(
								() => new (obsidian as { Notice: new (text: string) => unknown }).Notice(`chose ${title}`),
							),
					);
				workspace.on("editor-menu", add("From the editor"));
				workspace.on("file-menu", add("From the file"));
				workspace.protocolHandlers.set(
					"test",
					(params) =>
						new (obsidian as { Notice: new (text: string) => unknown }).Notice(`came with ${params["a"]}`),
				);
			});
			await page.locator(".cm-content").click({ button: "right" });
			await page.getByRole("menuitem", { name: "From the editor" }).click();
			await page.getByText("chose From the editor").waitFor();
			await page.getByRole("treeitem", { name: "Note", exact: true }).click({ button: "right" });
			await page.getByRole("menuitem", { name: "From the file" }).click();
			await page.getByText("chose From the file").waitFor();
			expect(await page.evaluate(() => window.app.openProtocolUrl("obsidian://test?a=b%20c"))).toBe(true);
			await page.getByText("came with b c").waitFor();
		});
	});

	test("a plugin that is switched off leaves nothing behind, and its views say that it is gone", async () => {
		await withPlayground({ plugin }, async ({ page, errors }) => {
			const traces = () =>
				page.evaluate(() => ({
					commands: Object.keys(window.app.commands.commands).filter((id) => id.startsWith("fixture")),
					ribbon: document.querySelectorAll('[aria-label="Open fixture"]').length,
					styles: document.querySelectorAll('style[data-plugin="fixture"]').length,
					tabs: window.app.setting.pluginTabs.length,
				}));
			await page.evaluate(() => window.app.commands.executeCommandById("fixture:open"));
			await page.getByRole("heading", { name: "Fixture view" }).waitFor();
			await page.evaluate(() => window.app.plugins.disablePluginAndSave("fixture"));
			await page.getByText('No plugin provides the view "fixture-view" now.').waitFor();
			expect(await traces()).toEqual({ commands: [], ribbon: 0, styles: 0, tabs: 0 });
			await page.evaluate(() => window.app.plugins.enablePluginAndSave("fixture"));
			await page.getByRole("heading", { name: "Fixture view" }).waitFor();
			expect((await traces()).commands).toHaveLength(3);
			expect(errors).toEqual([]);
		});
	});

	test("every aria-label shows as a tooltip, that of a region too; a name by aria-labelledby does not", async () => {
		await withPlayground({ plugin }, async ({ page }) => {
			await page.evaluate(async () => {
				const leaf = await window.app.workspace.ensureSideLeaf("fixture-view", "right");
				const { contentEl } = leaf.view as unknown as { contentEl: HTMLElement };
				contentEl
					.createEl("section", { attr: { "aria-label": "Labelled region" } })
					.createDiv({ text: "inside the region" });
			});
			const tooltip = page.getByRole("tooltip");
			await page.getByText("inside the region").hover();
			await tooltip.getByText("Labelled region").waitFor();
			await page.getByRole("heading", { name: "Fixture view" }).hover();
			await tooltip.waitFor({ state: "detached" });
			expect(await page.getByRole("complementary", { name: "Right sidebar" }).count()).toBe(1);
		});
	});

	test("reading view renders links, embeds, tasks and callouts, runs post processors, and no script", async () => {
		await withPlayground({}, async ({ page, vaultDir }) => {
			const source = [
				"[[Note]] ![[Folder/Inner]] [[Nothing]] #tag ==marked== %%hidden%%",
				"",
				"- [x] done",
				"",
				"> [!warning] Mind",
				"> the gap",
				"",
				'<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
				"",
				"```shout",
				"hello",
				"```",
			].join("\n");
			writeFileSync(join(vaultDir, "Read.md"), source);
			await page.waitForFunction(() => window.app.vault.getFileByPath("Read.md") !== null);
			await page.evaluate(() => {
				const { MarkdownPreviewRenderer } = window.__playground?.obsidian ?? {};
				const shout = MarkdownPreviewRenderer?.createCodeBlockPostProcessor("shout", (text, el) =>
					el.setText(text.toUpperCase()),
				);
				if (shout) MarkdownPreviewRenderer?.registerPostProcessor(shout);
			});
			await openNote(page, "Read.md");
			await page.evaluate(() => window.app.commands.executeCommandById("markdown:toggle-preview"));
			const view = page.locator(".markdown-preview-view");
			await view.getByText("HELLO").waitFor();
			await view.getByText("Inner, links to").waitFor();
			expect(await view.locator("a.internal-link.is-unresolved").allTextContents()).toEqual(["Nothing"]);
			expect(await view.locator(".callout[data-callout=warning] .callout-title").innerText()).toBe("Mind");
			expect(await view.locator("mark").innerText()).toBe("marked");
			expect(await view.getByText("hidden").count()).toBe(0);
			expect(await page.evaluate(() => "hacked" in window)).toBe(false);
			await view.getByRole("link", { name: "Note", exact: true }).click();
			await page.waitForFunction(() => window.app.workspace.getActiveFile()?.path === "Note.md");
		});
	});
});
