import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	axeViolations,
	hashFolder,
	indexed,
	openNote,
	readNote,
	repository,
	runFromPalette,
	startPlayground,
	type Playground,
} from "./harness";

const harness = join(repository, "test/e2e/harness");
const vault = join(harness, "fixture-vault");
const plugin = join(harness, "fixture-plugin");

describe("the playground with a small plugin", () => {
	let playground: Playground;

	beforeAll(async () => {
		playground = await startPlayground({ vault, plugin });
	});
	afterAll(() => playground.close());

	test("a plugin loads before the vault, hears a create for every file, and sees them all when the layout is ready", async () => {
		const seen = await playground.page.evaluate(() => {
			const fixture = window.app.plugins.getPlugin("fixture") as unknown as Record<string, unknown>;
			return {
				atLoad: fixture["filesAtLoad"],
				atReady: fixture["filesAtReady"],
				events: (fixture["events"] as string[]).length,
			};
		});
		expect(seen).toEqual({ atLoad: 0, atReady: 3, events: 4 });
	});

	test("a command from the palette writes a real file", async () => {
		await runFromPalette(playground.page, "Fixture: Make");
		await expect.poll(() => existsSync(join(playground.vaultDir, "Made by fixture.md"))).toBe(true);
		expect(readNote(playground, "Made by fixture.md")).toBe("# hello\n");
	});

	test("the ribbon opens the plugin's view in the right sidebar", async () => {
		await playground.page.getByRole("button", { name: "Open fixture" }).click();
		await playground.page.getByRole("heading", { name: "Fixture view" }).waitFor();
	});

	test("declarative settings are drawn, validated, and saved to data.json", async () => {
		const { page } = playground;
		await page.getByRole("button", { name: "Settings", exact: true }).click();
		await page.getByRole("dialog").getByRole("tab", { name: "Fixture" }).click();
		expect(await page.getByRole("textbox", { name: "Volume" }).count()).toBe(0);
		await page.getByRole("textbox", { name: "Greeting" }).fill("good day");
		await page.getByRole("switch", { name: "Loud" }).check({ force: true });
		const volume = page.getByRole("spinbutton", { name: "Volume" });
		await volume.fill("11");
		await page.getByText("At most 10.").waitFor();
		await volume.fill("7");
		await page.getByText("Advanced").click();
		await page.getByRole("switch", { name: "Deep" }).check({ force: true });
		await page.getByRole("button", { name: "Back" }).click();
		const saved = (): unknown => JSON.parse(readNote(playground, ".obsidian/plugins/fixture/data.json"));
		await expect.poll(saved).toEqual({ greeting: "good day", loud: true, volume: 7, deep: true });
		await page.keyboard.press("Escape");
	});

	test("a change of data.json from outside reaches the plugin, its own saving does not", async () => {
		const changes = () =>
			playground.page.evaluate(
				() =>
					(window.app.plugins.getPlugin("fixture") as unknown as { externalChanges: number }).externalChanges,
			);
		expect(await changes()).toBe(0);
		writeFileSync(
			join(playground.vaultDir, ".obsidian/plugins/fixture/data.json"),
			'{"greeting":"from outside"}',
		);
		await expect.poll(changes).toBe(1);
	});

	test("typing is saved after two seconds of rest, and an edit from outside is merged into unsaved text", async () => {
		const { page } = playground;
		await openNote(page, "Note.md");
		await page.evaluate(() =>
			window.app.workspace.activeEditor?.editor?.replaceRange("typed\n", { line: 4, ch: 0 }),
		);
		expect(readNote(playground, "Note.md")).not.toContain("typed");
		writeFileSync(join(playground.vaultDir, "Note.md"), "# Note from outside\n\nBack to [[Home]]. #gamma\n");
		await page.getByText('"Note.md" has been modified externally, merging changes automatically.').waitFor();
		await expect
			.poll(() => readNote(playground, "Note.md"), { timeout: 5000 })
			.toBe("# Note from outside\n\nBack to [[Home]]. #gamma\ntyped\n");
	});

	test("renaming a note updates the links to it", async () => {
		const { page } = playground;
		await indexed(page);
		await page.evaluate(async () => {
			const file = window.app.vault.getFileByPath("Home.md");
			if (file) await window.app.fileManager.renameFile(file, "Folder/Start.md");
		});
		expect(readNote(playground, "Folder/Inner.md")).toBe("Inner, links to [[Start#Home]].\n");
	});

	test("no uncaught error happened, and axe finds nothing wrong with the window", async () => {
		expect(playground.errors).toEqual([]);
		expect(await axeViolations(playground.page)).toEqual([]);
	});
});

test("opening, reading and closing a vault leaves its bytes as they were", async () => {
	const playground = await startPlayground({ vault, plugin });
	try {
		const before = hashFolder(playground.vaultDir);
		await openNote(playground.page, "Home.md");
		await indexed(playground.page);
		expect(hashFolder(playground.vaultDir)).toEqual(before);
		expect(Object.keys(before)).toContain("Folder/Inner.md");
	} finally {
		await playground.close();
	}
});

test("what is not saved is saved when the app quits", async () => {
	const playground = await startPlayground({ vault, plugin });
	try {
		await openNote(playground.page, "Note.md");
		await playground.page.evaluate(() => {
			const { workspace } = window.app;
			workspace.on("quit", (tasks: { addPromise(promise: Promise<unknown>): void }) =>
				tasks.addPromise(window.app.vault.create("Quit.md", "heard")),
			);
			workspace.activeEditor?.editor?.replaceRange("last words\n", { line: 0, ch: 0 });
			return workspace.quit(); // the app waits for it, a browser that leaves a page does not
		});
		await playground.restart();
		expect(readNote(playground, "Note.md")).toMatch(/^last words\n/);
		expect(readNote(playground, "Quit.md")).toBe("heard");
	} finally {
		await playground.close();
	}
});

test.each(["light", "dark"] as const)(
	"axe finds nothing wrong with settings, palette, menu and reading view (%s)",
	async (theme) => {
		const playground = await startPlayground({ vault, plugin, theme });
		const { page } = playground;
		try {
			await openNote(page, "Home.md");
			await page.evaluate(() => window.app.commands.executeCommandById("markdown:toggle-preview"));
			await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
			expect(await axeViolations(page), "reading view").toEqual([]);
			await page.keyboard.press("Control+p");
			await page.getByRole("combobox", { name: "Select a command..." }).waitFor();
			expect(await axeViolations(page), "palette").toEqual([]);
			await page.keyboard.press("Escape");
			for (const name of ["Community plugins", "Fixture"]) {
				if ((await page.getByRole("dialog").count()) === 0) await page.keyboard.press("Control+,");
				await page.getByRole("dialog").getByRole("tab", { name, exact: true }).click();
				expect(await axeViolations(page), name).toEqual([]);
			}
			await page.keyboard.press("Escape");
			await page.getByRole("treeitem", { name: "Note", exact: true }).click({ button: "right" });
			await page.getByRole("menuitem", { name: "Rename..." }).waitFor();
			expect(await axeViolations(page), "menu").toEqual([]);
		} finally {
			await playground.close();
		}
	},
);
