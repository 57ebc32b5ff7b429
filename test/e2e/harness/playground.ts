/** Starts the playground around a copy of a vault and opens it in a headless Chromium. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { built } from "../../built";
import { buildPlayground, dist } from "../../playground/build.mjs";
import { copyVault, demoSettings, installPlugin } from "../../playground/demo.mjs";
import type { Faults } from "../../playground/server/faults";
import { startServer } from "../../playground/server/server";
import { profileNamed, type ProfileName } from "../../playground/shared/profiles";
import { launchChromium } from "./chromium";
import { rewriteOrigin } from "./origin";

export interface PlaygroundOptions {
	/** The folder to copy; it is not touched. */
	vault: string;
	profile?: ProfileName;
	theme?: "light" | "dark";
	/** Window size in CSS pixels; by default the profile's. */
	width?: number;
	height?: number;
	/** A folder with main.js, manifest.json and styles.css; by default the repository's root. `null` installs none. */
	plugin?: string | null;
	/** Address of a model server; goes into the plugin's data.json as `demoSettings` says. */
	model?: string;
	/** The plugin's data.json; wins over `model`. */
	data?: Record<string, unknown>;
	/** What the engine refuses (playground/page/refusals.ts). */
	refuse?: string[];
	/** What the app does otherwise than the playground does elsewhere (playground/obsidian/otherwise.ts); or `all`. */
	otherwise?: string;
	/** Lets requests to other hosts carry the origin of the real app. */
	appOrigin?: boolean;
	/** Keeps this browser open for other playgrounds. */
	browser?: Browser;
	/** More arguments for a browser that is started here. */
	browserArgs?: string[];
}

export interface Playground {
	page: Page;
	context: BrowserContext;
	/** The copy that is being worked on. */
	vaultDir: string;
	url: string;
	faults: Faults;
	/** Uncaught errors of the page and errors on its console, as they come. */
	errors: string[];
	/** Loads the page again, as a restart of the app does, and waits until it is ready. */
	restart(): Promise<void>;
	close(): Promise<void>;
}

/** The repository's root. */
export const repository = resolve(import.meta.dirname, "../../..");

let building: Promise<string> | undefined;

/** Bundles the page, once per process, unless that is done for all of them. */
async function ensureBuilt(): Promise<string> {
	return process.env[built.playground] ?? (building ??= buildPlayground());
}

export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
	await ensureBuilt();
	const profile = profileNamed(options.profile);
	const vaultDir = await mkdtemp(join(tmpdir(), "playground-"));
	await copyVault(options.vault, vaultDir);
	const pluginDir = options.plugin === undefined ? repository : options.plugin;
	const data = options.data ?? (options.model === undefined ? undefined : demoSettings(options.model));
	if (pluginDir !== null) await installPlugin(vaultDir, pluginDir, data);

	const server = await startServer({ vaultDir, dist, vaultName: "vault" });
	const browser = options.browser ?? (await launchChromium(options.browserArgs));
	const viewport = {
		width: options.width ?? profile.screen.width,
		height: options.height ?? profile.screen.height,
	};
	const context = await browser.newContext({ viewport, hasTouch: profile.mobile, locale: "en-US" });
	const page = await context.newPage();
	if (options.appOrigin) await rewriteOrigin(page, server.url, profile.origin);
	const errors = collectErrors(page);
	const query = new URLSearchParams({ test: "", profile: profile.name });
	if (options.refuse) query.set("refuse", options.refuse.join(","));
	if (options.otherwise) query.set("otherwise", options.otherwise);
	if (options.theme) query.set("theme", options.theme);
	const open = async (): Promise<void> => {
		await page.goto(`${server.url}?${query.toString()}`);
		await page.waitForSelector("body[data-ready]", { timeout: 60_000 });
	};
	await open();
	return {
		page,
		context,
		vaultDir,
		url: server.url,
		faults: server.faults,
		errors,
		restart: open,
		async close() {
			await context.close();
			if (!options.browser) await browser.close();
			await server.close();
			await rm(vaultDir, { recursive: true, force: true });
		},
	};
}

/** Runs with a playground of its own, which is closed whatever happens. */
export async function runPlayground(
	options: PlaygroundOptions,
	work: (playground: Playground) => Promise<void>,
): Promise<void> {
	const playground = await startPlayground(options);
	try {
		await work(playground);
	} finally {
		await playground.close();
	}
}

function collectErrors(page: Page): string[] {
	const errors: string[] = [];
	page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
	page.on("console", (message) => {
		if (message.type() === "error") errors.push(message.text());
	});
	return errors;
}
