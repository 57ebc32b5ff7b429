import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dist } from "../../playground/build.mjs";
import { startServer } from "../../playground/server/server";
import {
	hashFolder,
	launchChromium,
	openNote,
	readNote,
	repository,
	startPlayground,
	type Playground,
	type PlaygroundOptions,
} from "./harness";

const harness = join(repository, "test/e2e/harness");
const vault = join(harness, "fixture-vault");
const plugin = join(harness, "fixture-plugin");
let browser: Browser;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

/** Runs with a playground of its own. */
async function withPlayground(
	options: Partial<PlaygroundOptions>,
	work: (playground: Playground) => Promise<void>,
): Promise<void> {
	const playground = await startPlayground({ vault, plugin: null, browser, ...options });
	try {
		await work(playground);
	} finally {
		await playground.close();
	}
}

/** Creates notes `1.md` to `count.md` one after the other; how many were made, and the error of the first that failed. */
function createNotes(
	{ page }: Playground,
	count: number,
): Promise<{ made: number; error?: string; code?: string }> {
	return page.evaluate(async (total) => {
		for (let n = 1; n <= total; n++) {
			try {
				await window.app.vault.create(`${n}.md`, `note ${n}`);
			} catch (error) {
				return { made: n - 1, error: String(error), code: (error as { code?: string }).code ?? "" };
			}
		}
		return { made: total };
	}, count);
}

describe("faults", () => {
	test("the nth write fails with the disk's error and the app's path, and nothing is left of it", async () => {
		await withPlayground({}, async (playground) => {
			playground.faults.set({ fail: [{ op: "write", nth: 3, code: "ENOSPC" }] });
			const outcome = await createNotes(playground, 5);
			expect(outcome).toEqual({
				made: 2,
				error: "Error: ENOSPC: no space left on device, open '/home/user/vault/3.md'",
				code: "ENOSPC",
			});
			expect(existsSync(join(playground.vaultDir, "3.md"))).toBe(false);
			expect((await createNotes(playground, 0)).made).toBe(0);
		});
	});

	test("a fault can be meant for a folder", async () => {
		await withPlayground({}, async (playground) => {
			playground.faults.set({ fail: [{ op: "mutation", path: "Folder/", code: "EACCES" }] });
			const outcome = await playground.page.evaluate(async () => {
				await window.app.vault.create("free.md", "");
				return window.app.vault.create("Folder/locked.md", "").then(String, String);
			});
			expect(outcome).toContain("EACCES: permission denied");
			expect(existsSync(join(playground.vaultDir, "free.md"))).toBe(true);
		});
	});

	test("a torn write leaves a prefix and then silence, until the app is started again", async () => {
		await withPlayground({}, async (playground) => {
			playground.faults.set({ torn: { nth: 2, bytes: 4 } });
			await playground.page.evaluate(() => {
				void window.app.vault
					.create("1.md", "note 1")
					.then(() =>
						window.app.vault.create("2.md", "note 2").then(() => window.app.vault.create("3.md", "")),
					);
			});
			await expect
				.poll(() => existsSync(join(playground.vaultDir, "2.md")) && readNote(playground, "2.md"))
				.toBe("note");
			const answered = await playground.page.evaluate(() =>
				Promise.race([
					window.app.vault.adapter.exists("1.md"),
					new Promise((resolve) => window.setTimeout(() => resolve("silence"), 200)),
				]),
			);
			expect(answered).toBe("silence");
			await playground.restart();
			expect(await playground.page.evaluate(() => window.app.vault.adapter.read("2.md"))).toBe("note");
			expect(existsSync(join(playground.vaultDir, "3.md"))).toBe(false);
		});
	});

	test("a freeze at the nth change does exactly the changes before it", async () => {
		for (const freezeAt of [1, 3]) {
			await withPlayground({}, async (playground) => {
				const before = hashFolder(playground.vaultDir);
				playground.faults.set({ freezeAt });
				void createNotes(playground, 5).catch(() => undefined);
				await expect.poll(() => playground.faults.counters().mutations).toBe(freezeAt);
				await playground.restart();
				const added = Object.keys(hashFolder(playground.vaultDir)).filter((path) => !(path in before));
				expect(added).toEqual(Array.from({ length: freezeAt - 1 }, (_, index) => `${index + 1}.md`));
			});
		}
	});

	test("calls are counted by name, and what the app itself writes is not", async () => {
		await withPlayground({}, async (playground) => {
			playground.faults.resetCounters();
			await createNotes(playground, 3);
			await playground.page.evaluate(async () => {
				await window.app.vault.adapter.append("log.txt", "x");
				await window.app.vault.adapter.read("1.md");
				window.app.vault.setConfig("theme", "moonstone");
				await window.app.workspace.requestSaveLayout.run();
			});
			const counters = playground.faults.counters();
			expect({
				write: counters["write"],
				append: counters["append"],
				read: counters["read"],
				mutations: counters.mutations,
			}).toEqual({
				write: 3,
				append: 1,
				read: 1,
				mutations: 4,
			});
		});
	});

	test("latency is added to every call", async () => {
		await withPlayground({}, async (playground) => {
			playground.faults.set({ latencyMs: 120 });
			const took = await playground.page.evaluate(async () => {
				const start = performance.now();
				await window.app.vault.adapter.read("Note.md");
				return performance.now() - start;
			});
			expect(took).toBeGreaterThan(100);
		});
	});
});

describe("the folder", () => {
	test("edits from outside are seen: new, changed, moved and removed files and folders", async () => {
		await withPlayground({}, async ({ page, vaultDir }) => {
			const paths = () =>
				page.evaluate(() =>
					window.app.vault
						.getAllLoadedFiles()
						.map((file) => file.path)
						.sort(),
				);
			mkdirSync(join(vaultDir, "new/deep"), { recursive: true });
			writeFileSync(join(vaultDir, "new/deep/a.md"), "# A\n");
			await expect
				.poll(paths)
				.toEqual([
					"/",
					"Folder",
					"Folder/Inner.md",
					"Home.md",
					"Note.md",
					"new",
					"new/deep",
					"new/deep/a.md",
				]);
			writeFileSync(join(vaultDir, "new/deep/a.md"), "# Changed\n");
			const heading = () =>
				page.evaluate(() => window.app.metadataCache.getCache("new/deep/a.md")?.headings?.[0]?.heading);
			await expect.poll(heading).toBe("Changed");
			const { renameSync } = await import("node:fs");
			renameSync(join(vaultDir, "new"), join(vaultDir, "moved"));
			await expect.poll(paths).toContain("moved/deep/a.md");
			rmSync(join(vaultDir, "moved"), { recursive: true });
			await expect.poll(paths).toEqual(["/", "Folder", "Folder/Inner.md", "Home.md", "Note.md"]);
		});
	});

	test("what the page writes is not reported back to it", async () => {
		await withPlayground({}, async (playground) => {
			const events = await playground.page.evaluate(async () => {
				const heard: string[] = [];
				const { vault } = window.app;
				for (const name of ["create", "modify", "delete", "rename", "raw"])
					vault.on(name, (entry: { path?: string } | string) =>
						heard.push(`${name} ${typeof entry === "string" ? entry : entry.path}`),
					);
				const file = await vault.create("mine.md", "1");
				for (let n = 2; n < 20; n++) await vault.modify(file, String(n));
				await vault.rename(file, "yours.md");
				await vault.createFolder("f");
				await vault.rename(file, "f/yours.md");
				return heard
					.filter((line) => !line.startsWith("modify"))
					.concat(String(heard.filter((line) => line.startsWith("modify")).length));
			});
			expect(events).toEqual(["create mine.md", "rename yours.md", "create f", "rename f/yours.md", "18"]);
			// Whatever echo there was has been reported once a real edit from outside is seen.
			writeFileSync(join(playground.vaultDir, "outside.md"), "x");
			await playground.page.waitForFunction(() => window.app.vault.getFileByPath("outside.md") !== null);
			expect(await playground.page.evaluate(() => window.app.vault.getFiles().length)).toBe(5);
		});
	});

	test("paths that would leave the vault are refused", async () => {
		await withPlayground({}, async ({ page, vaultDir }) => {
			const outcomes = await page.evaluate(async () => {
				const { adapter } = window.app.vault;
				const attempts = [
					() => adapter.write("../out.md", "x"),
					() => adapter.read("../../etc/passwd"),
					() => adapter.mkdir("a/../../b"),
					() => adapter.rmdir("", true),
				];
				return Promise.all(
					attempts.map((attempt) =>
						attempt().then(
							() => "done",
							(error: { code?: string }) => error.code,
						),
					),
				);
			});
			expect(outcomes).toEqual(["EACCES", "EACCES", "EACCES", "EPERM"]);
			expect(existsSync(join(vaultDir, "../out.md"))).toBe(false);
		});
	});

	test("another site cannot connect: the socket asks for the page's token and a known host", async () => {
		await withPlayground({}, async ({ url }) => {
			const { WebSocket } = await import("ws");
			const refused = (address: string, headers: Record<string, string>): Promise<boolean> =>
				new Promise((resolve) => {
					const socket = new WebSocket(address, { headers });
					socket.once("open", () => resolve(false));
					socket.once("error", () => resolve(true));
				});
			const address = `${url.replace("http", "ws")}ws`;
			expect(await refused(address, {})).toBe(true);
			const token = /playground-token" content="([^"]+)"/.exec(await (await fetch(url)).text())?.[1];
			expect(await refused(`${address}?token=${token}`, { host: "evil.example" })).toBe(true);
			expect(await refused(`${address}?token=${token}`, {})).toBe(false);
		});
	});

	test("the system's bin is the vault's own", async () => {
		await withPlayground({}, async (playground) => {
			await playground.page.evaluate(async () => {
				const file = window.app.vault.getFileByPath("Note.md");
				if (file) await window.app.fileManager.trashFile(file);
			});
			expect(readdirSync(join(playground.vaultDir, ".trash"))).toEqual(["Note.md"]);
		});
	});

	test("links in circles and to nowhere do not keep the vault from opening", async () => {
		await withPlayground({}, async (playground) => {
			symlinkSync("circle.md", join(playground.vaultDir, "circle.md"));
			symlinkSync("nowhere", join(playground.vaultDir, "nowhere.md"));
			await playground.restart();
			expect(await playground.page.evaluate(() => window.app.vault.getFiles().length)).toBe(3);
		});
	});
});

describe("profiles", () => {
	test("Windows refuses device names and names that end with a dot or a space", async () => {
		await withPlayground({ profile: "win" }, async ({ page }) => {
			const outcomes = await page.evaluate(() =>
				Promise.all(
					["CON.md", "nul", "com1.txt", "a.", "b ", "concept.md"].map((name) =>
						window.app.vault.create(name, "").then(
							(file) => file.path,
							(error: { code?: string }) => error.code,
						),
					),
				),
			);
			expect(outcomes).toEqual(["EINVAL", "EINVAL", "EINVAL", "EINVAL", "EINVAL", "concept.md"]);
		});
	});

	test("a name that the disk holds decomposed is known, read and written by its composed form", async () => {
		await withPlayground({ profile: "mac" }, async (playground) => {
			const decomposed = join(playground.vaultDir, "e\u0301tude.md");
			writeFileSync(decomposed, "before");
			const read = () =>
				playground.page.evaluate(async () => {
					const file = window.app.vault.getFileByPath("\u00e9tude.md");
					return file && window.app.vault.read(file);
				});
			await expect.poll(read).toBe("before");
			await playground.page.evaluate(() => window.app.vault.adapter.write("\u00e9tude.md", "after"));
			expect(readFileSync(decomposed, "utf8")).toBe("after");
			expect(
				readdirSync(playground.vaultDir).filter((name) => name.normalize("NFC") === "\u00e9tude.md"),
			).toHaveLength(1);
		});
	});

	test("the platform's flags and paths are those of the system", async () => {
		const seen: Record<string, unknown> = {};
		for (const profile of ["win", "ios"] as const) {
			await withPlayground({ profile }, async ({ page }) => {
				seen[profile] = await page.evaluate(() => {
					const { Platform } = window.__playground?.obsidian ?? {};
					return [
						Platform?.isWin,
						Platform?.isIosApp,
						Platform?.isMobile,
						Platform?.isPhone,
						window.app.vault.adapter.getFullPath("a/b.md"),
					];
				});
			});
		}
		expect(seen).toEqual({
			win: [true, false, false, false, "C:\\Users\\user\\vault\\a\\b.md"],
			ios: [false, true, true, true, "/private/var/mobile/Documents/vault/a/b.md"],
		});
	});

	test("on a phone the sidebars are drawers that lie over the note, one at a time", async () => {
		await withPlayground({ profile: "android", plugin }, async ({ page }) => {
			expect(page.viewportSize()).toEqual({ width: 412, height: 892 });
			await page.getByRole("button", { name: "Open left drawer" }).click();
			await page.getByRole("tree", { name: "Files" }).waitFor();
			await page.evaluate(() => window.app.commands.executeCommandById("fixture:open"));
			await page.getByRole("heading", { name: "Fixture view" }).waitFor();
			expect(await page.getByRole("tree", { name: "Files" }).isVisible()).toBe(false);
		});
	});
});

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
					() => app?.workspace.getLeaf("window"),
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
				"The playground does not implement pop-out windows.",
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

describe("the network", () => {
	test("requests to other hosts carry the app's origin, and only what allows it can be read", async () => {
		const origins: unknown[] = [];
		const server = createServer((request, response) => {
			origins.push(request.headers.origin);
			const allowed =
				request.url === "/allowed" ? { "access-control-allow-origin": "app://obsidian.md" } : {};
			response.writeHead(200, { "content-type": "text/event-stream", ...allowed });
			response.write("first");
			// The rest comes only when the first piece was read: what is buffered would never end.
			server.once("go on", () => response.end(" second"));
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			await withPlayground({ appOrigin: true }, async ({ page }) => {
				await page.exposeFunction("goOn", () => void server.emit("go on"));
				const text = await page.evaluate(async (url) => {
					const reader = (await fetch(`${url}/allowed`)).body?.getReader();
					const pieces: string[] = [];
					for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
						pieces.push(new TextDecoder().decode(piece.value));
						await (window as unknown as { goOn(): Promise<void> }).goOn();
					}
					return pieces;
				}, address);
				expect(text).toEqual(["first", " second"]);
				const refused = await page.evaluate(
					(url) =>
						fetch(`${url}/other`).then(
							() => "read",
							() => "refused",
						),
					address,
				);
				expect(refused).toBe("refused");
			});
			expect(origins).toEqual(["app://obsidian.md", "app://obsidian.md"]);
		} finally {
			server.closeAllConnections();
			server.close();
		}
	});

	test("the control endpoint sets faults and tells the counters, to who has its token", async () => {
		const vaultDir = mkdtempSync(join(tmpdir(), "control-"));
		const server = await startServer({ vaultDir, dist, controlToken: "secret" });
		try {
			const order = (token: string, body: unknown): Promise<Response> =>
				fetch(`${server.url}control`, {
					method: "POST",
					headers: { authorization: `Bearer ${token}` },
					body: JSON.stringify(body),
				});
			expect((await order("wrong", { kill: true })).status).toBe(403);
			const answer = await order("secret", { faults: { latencyMs: 5 }, resetCounters: true });
			expect(await answer.json()).toEqual({ mutations: 0 });
			expect(server.faults.latencyMs).toBe(5);
		} finally {
			await server.close();
			rmSync(vaultDir, { recursive: true });
		}
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
