// Builds the pages of the browser's tests once for all of their files.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built } from "./built";
import { buildPage } from "./dev/build";
import { buildPlayground } from "./playground/build.mjs";

/** Vitest calls it before the first file; what it gives is called after the last. */
export default async function setup(): Promise<() => Promise<void>> {
	const folder = await mkdtemp(join(tmpdir(), "pages-"));
	const page = join(folder, "stage.html");
	const [html, dist] = await Promise.all([buildPage(), buildPlayground()]);
	await writeFile(page, html);
	process.env[built.stage] = page;
	process.env[built.playground] = dist;
	return () => rm(folder, { recursive: true, force: true });
}
