/** What every test does with the app: run a command, open a note, read what is on disk. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Playground } from "./playground";

/** Opens a note in the main area and waits for its editor. */
export async function openNote(page: Page, path: string): Promise<void> {
	await page.evaluate(async (wanted) => {
		const file = window.app.vault.getFileByPath(wanted);
		if (!file) throw new Error(`There is no file ${wanted}.`);
		await window.app.workspace.getLeaf(false).openFile(file);
	}, path);
}

/** Runs a command as the palette does; false when it is not available. */
export function runCommand(page: Page, id: string): Promise<boolean> {
	return page.evaluate((commandId) => window.app.commands.executeCommandById(commandId), id);
}

/** Runs a command through the palette, by keyboard. */
export async function runFromPalette(page: Page, name: string): Promise<void> {
	const apple = await page.evaluate(() => document.body.matches(".mod-macos, .is-ios"));
	await page.keyboard.press(apple ? "Meta+p" : "Control+p");
	await page.keyboard.type(name);
	await page.keyboard.press("Enter");
}

/** Waits until every note was parsed once. */
export async function indexed(page: Page): Promise<void> {
	await page.waitForFunction(() => window.app.metadataCache.initialized);
}

/** Selects lines `from` to `to` (counted from 0, both included) in the open note. */
export async function selectLines(page: Page, from: number, to: number): Promise<void> {
	await page.evaluate(
		([first, last]) => {
			const editor = window.app.workspace.activeEditor?.editor;
			if (!editor) throw new Error("No note is open.");
			editor.setSelection({ line: first, ch: 0 }, { line: last, ch: editor.getLine(last).length });
		},
		[from, to] as const,
	);
}

/** The text of a file on disk. */
export function readNote(playground: Playground, path: string): string {
	return readFileSync(join(playground.vaultDir, path), "utf8");
}
