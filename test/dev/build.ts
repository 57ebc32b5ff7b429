// Builds the development page for the tests and opens it in Chromium.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import esbuildSvelte from "esbuild-svelte";
import { chromium, type Browser, type Page } from "playwright-core";
import { sveltePreprocess } from "svelte-preprocess";
import { wordsModule } from "../../scripts/build/words.mjs";
import { chromium as installed, quiet } from "../../scripts/chromium.mjs";

const root = join(import.meta.dirname, "..", "..");

/**
 * Lucide's icons by name. Names that have been given up are left out: versions
 * of the app differ in which of them they still know.
 */
function lucide(): Record<string, string> {
	const folder = join(root, "node_modules", "lucide-static");
	const names = JSON.parse(readFileSync(join(folder, "icon-nodes.json"), "utf8")) as Record<string, unknown>;
	return Object.fromEntries(
		readdirSync(join(folder, "icons"))
			.filter((name) => name.slice(0, -4) in names)
			.map((name) => [name.slice(0, -4), readFileSync(join(folder, "icons", name), "utf8")]),
	);
}

/** The page as one HTML text. Only the icons that the sources name are in it. */
export async function buildPage(): Promise<string> {
	const used = panelSources();
	const icons = Object.fromEntries(Object.entries(lucide()).filter(([name]) => used.includes(`"${name}"`)));
	const result = await build({
		absWorkingDir: root,
		entryPoints: ["test/dev/page.ts"],
		bundle: true,
		write: false,
		outfile: "page.js",
		format: "iife",
		conditions: ["svelte", "browser"],
		plugins: [
			{
				name: "icons",
				setup(b) {
					b.onResolve({ filter: /^icons$/ }, () => ({ path: "icons", namespace: "icons" }));
					b.onLoad({ filter: /./, namespace: "icons" }, () => ({
						contents: JSON.stringify(icons),
						loader: "json",
					}));
				},
			},
			{
				name: "words",
				setup(b) {
					b.onResolve({ filter: /^words:all$/ }, ({ path }) => ({ path, namespace: "words" }));
					b.onLoad({ filter: /./, namespace: "words" }, () => ({
						contents: wordsModule(join(root, "i18n")),
						resolveDir: root,
					}));
				},
			},
			esbuildSvelte({ preprocess: sveltePreprocess(), compilerOptions: { css: "injected" } }),
		],
	});
	const script = result.outputFiles[0]?.text.replaceAll("</script", "<\\/script") ?? "";
	const css =
		readFileSync(join(root, "test/dev/page.css"), "utf8") + readFileSync(join(root, "styles.css"), "utf8");
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Panel</title><style>${css}</style></head>
<body><main class="workspace-leaf-content" style="height:100%"><div class="view-content ea-view" id="view"></div></main>
<script>${script}</script></body></html>`;
}

function panelSources(): string {
	const folder = join(root, "plugin");
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((path) => /\.(ts|svelte)$/.test(path))
		.map((path) => readFileSync(join(folder, path), "utf8"))
		.join("\n");
}

/** An installed Chromium, or undefined: its tests are skipped then. */
export const findChromium = installed;

/** Starts the browser. */
export function launch(): Promise<Browser> {
	return chromium.launch({ executablePath: findChromium(), args: quiet });
}

/** How a page is shown. */
export interface Look {
	width?: number;
	height?: number;
	theme?: "light" | "dark";
	mobile?: boolean;
	lang?: string;
	dir?: "ltr" | "rtl";
}

/** Opens the page; the panel is there and its core answers {}. */
export async function open(browser: Browser, html: string, look: Look = {}): Promise<Page> {
	const context = await browser.newContext({
		viewport: { width: look.width ?? 420, height: look.height ?? 800 },
		reducedMotion: "reduce",
	});
	const page = await context.newPage();
	page.setDefaultTimeout(45_000);
	await page.route("http://panel.test/**", (route) =>
		route.fulfill({ contentType: "text/html", body: html }),
	);
	const query = new URLSearchParams({
		theme: look.theme ?? "light",
		lang: look.lang ?? "en",
		dir: look.dir ?? "ltr",
	});
	if (look.mobile) query.set("mobile", "1");
	const failed = new Promise<never>((_, reject) => page.once("pageerror", reject));
	const there = page
		.goto(`http://panel.test/?${query}`)
		.then(() => page.waitForFunction(() => "dev" in window));
	await Promise.race([there, failed]);
	return page;
}
