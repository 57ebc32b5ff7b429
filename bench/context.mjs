// What benchmarks share: a browser with the playground, and arithmetic.
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { root } from "../scripts/build/wasm.mjs";
import { chromium as installed, quiet } from "../scripts/chromium.mjs";

/** The middle of some numbers. */
export function median(numbers) {
	const sorted = [...numbers].sort((a, b) => a - b);
	const half = sorted.length >> 1;
	return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The world of a benchmark. Everything it starts ends with `close`. */
export class Context {
	root = root;
	#ends = [];
	#browser;
	#built;

	/** `wanted` says whether a row was asked for. */
	constructor(wanted) {
		this.wanted = wanted;
	}

	/** A folder that goes when the benchmarks end. */
	folder() {
		const path = mkdtempSync(join(tmpdir(), "bench-"));
		this.#ends.push(() => rmSync(path, { recursive: true, force: true }));
		return path;
	}

	/** Calls `end` when the benchmarks end, last first. */
	later(end) {
		this.#ends.push(end);
	}

	/** The browser, started once. */
	async browser() {
		if (!this.#browser) {
			const executablePath = installed();
			if (!executablePath)
				throw new Error("There is no Chromium, Chrome or Edge here. Install one, or set CHROMIUM.");
			this.#browser = await chromium.launch({ executablePath, headless: true, args: quiet });
			this.#ends.push(() => this.#browser.close());
		}
		return this.#browser;
	}

	/**
	 * A page with the playground around a copy of a vault, with the built plugin
	 * in it. `enabled: false` leaves the plugin off; `slow` is how many times the
	 * CPU is slowed once the page is up; `data` is the plugin's data.json; `query`
	 * is added to the address. Close what it gives.
	 */
	async playground({
		vault = join(root, "test/playground/vault"),
		enabled = true,
		slow = 1,
		data,
		query = "",
	} = {}) {
		const { buildPlayground, dist } = await import(
			pathToFileURL(join(root, "test/playground/build.mjs")).href
		);
		const { copyVault, installPlugin } = await import(
			pathToFileURL(join(root, "test/playground/demo.mjs")).href
		);
		await (this.#built ??= buildPlayground());
		const { startServer } = await import(pathToFileURL(join(dist, "server.mjs")).href);
		const vaultDir = join(this.folder(), "vault");
		await copyVault(vault, vaultDir);
		await installPlugin(vaultDir, root, data);
		if (!enabled) await writeFile(join(vaultDir, ".obsidian/community-plugins.json"), "[]");
		const server = await startServer({ vaultDir, dist, vaultName: "vault" });
		const page = await (await this.browser()).newPage();
		await page.goto(`${server.url}?test=${query}`);
		await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
		if (slow > 1) {
			const session = await page.context().newCDPSession(page);
			await session.send("Emulation.setCPUThrottlingRate", { rate: slow });
		}
		const close = async () => {
			await page.close();
			await server.close();
		};
		return { page, vaultDir, close };
	}

	/** Ends everything. */
	async close() {
		for (const end of this.#ends.reverse()) await end();
	}
}
