import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { repository } from "./playground";

/** Where screenshots of tests go; not committed. */
export const screenshotDir = join(repository, ".playground", "screenshots");

/** Takes a picture of the window; returns its path. */
export async function screenshot(page: Page, name: string): Promise<string> {
	await mkdir(screenshotDir, { recursive: true });
	const path = join(screenshotDir, `${name}.png`);
	await page.screenshot({ path, animations: "disabled" });
	return path;
}

/** What axe finds wrong inside `selector` (WCAG 2.2 A and AA), one line each. */
export async function axeViolations(page: Page, selector = "body"): Promise<string[]> {
	// Playwright's core package has the same types under another name than the builder expects.
	const builder = new AxeBuilder({ page: page });
	const { violations } = await builder
		.include(selector)
		.withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
		.analyze();
	return violations.flatMap(({ id, help, nodes }) =>
		nodes.map(({ target }) => `${id}: ${help} at ${target.join(" ")}`),
	);
}
