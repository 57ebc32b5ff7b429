import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	hashFolder,
	launchChromium,
	readNote,
	repository,
	runPlayground,
	type Playground,
	type PlaygroundOptions,
} from "./harness";

const vault = join(repository, "test/e2e/harness/fixture-vault");
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
				/* eslint-disable no-restricted-syntax -- it takes that long at the least */
				const start = performance.now();
				await window.app.vault.adapter.read("Note.md");
				return performance.now() - start;
				/* eslint-enable no-restricted-syntax */
			});
			expect(took).toBeGreaterThan(100);
		});
	});
});
