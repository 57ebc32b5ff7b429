import moment from "moment";
import "moment/min/locales";
import { App } from "../obsidian/app";
import { readJson } from "../obsidian/config";
import { getLanguage } from "../obsidian/environment";
import { obsidianModule } from "../obsidian/index";
import { MarkdownView } from "../obsidian/markdown-view";
import { Notice } from "../obsidian/notice";
import { setRequestConnection } from "../obsidian/request";
import { installTooltips } from "../obsidian/tooltip";
import type { Layout } from "../obsidian/workspace/layout";
import type { Profile } from "../shared/profiles";
import { addAppCommands } from "../shell/app-commands";
import { addAppSettings } from "../shell/app-settings";
import { FileExplorerView, fileExplorerType } from "../shell/file-explorer";
import { drawFrame } from "../shell/frame";
import { OutlineView, outlineType } from "../shell/outline";
import { ImageView, imageExtensions, UnsupportedFileView } from "../shell/other-views";
import type { Connection } from "./connection";
import { evaluatePlugin, lastEvaluationMs } from "./loader";

export interface BootOptions {
	connection: Connection;
	profile: Profile;
	vaultName: string;
	/** `light` or `dark` overrides what the vault says. */
	theme: string | null;
	/** A note to open when no layout was saved. */
	open: string | null;
	/** Puts `window.__playground` in place. */
	test: boolean;
}

/** How long the parts of the start took, in ms. */
export interface Timings {
	pluginEval: number;
	pluginsLoaded: number;
	vaultLoaded: number;
	ready: number;
}

export async function boot({
	connection,
	profile,
	vaultName,
	theme,
	open,
	test,
}: BootOptions): Promise<void> {
	const start = performance.now();
	const { frameEl, mainEl } = drawFrame(profile);
	setRequestConnection(connection);
	moment.locale(dateLocale(getLanguage()));
	window.moment = moment;
	const app = new App({
		connection,
		profile,
		vaultName,
		parent: mainEl,
		evaluate: evaluatePlugin,
		workerUrl: "/assets/index-worker.js",
	});
	window.app = app;
	await app.vault.adapter.makeFolderAsApp(app.vault.configDir);
	await app.vault.config.load();
	if (theme === "light" || theme === "dark")
		app.vault.config.override("theme", theme === "light" ? "moonstone" : "obsidian");
	app.updateTheme();
	frameEl.append(app.statusBar.containerEl);
	connection.onClose = () =>
		new Notice("The playground's server has gone away. Start it again and reload this page.", 0);

	// While a page is about to go it can still send; when it is going (`pagehide`) the socket is closed already.
	window.addEventListener("beforeunload", () => void app.workspace.quit());

	registerViews(app);
	addAppCommands(app);
	addAppSettings(app);
	addRibbon(app);
	installTooltips();
	await app.internalPlugins.load();
	await app.plugins.initialize();
	const pluginsLoaded = performance.now() - start;
	await app.vault.load();
	const vaultLoaded = performance.now() - start;

	const layoutFile = `${app.vault.configDir}/${profile.mobile ? "workspace-mobile" : "workspace"}.json`;
	const layout = (await readJson(app.vault.adapter, layoutFile)) as unknown as Partial<Layout> | null;
	const restored = await app.workspace.start(layout);
	if (!restored) await defaultLayout(app, open);
	addStatus(app);
	const timings: Timings = {
		pluginEval: lastEvaluationMs,
		pluginsLoaded,
		vaultLoaded,
		ready: performance.now() - start,
	};
	if (test) window.__playground = { app, obsidian: obsidianModule, timings, connection };
	document.body.dataset["ready"] = "true";
}

declare global {
	interface Window {
		moment: typeof moment;
		/** For tests only; see `test/e2e/harness`. */
		__playground?: { app: App; obsidian: typeof obsidianModule; timings: Timings; connection: Connection };
	}
}

function registerViews(app: App): void {
	const { workspace } = app;
	workspace.registerViewType("markdown", (leaf) => new MarkdownView(leaf));
	workspace.registerViewType("image", (leaf) => new ImageView(leaf));
	workspace.registerViewType("file", (leaf) => new UnsupportedFileView(leaf));
	workspace.registerViewType(fileExplorerType, (leaf) => new FileExplorerView(leaf));
	workspace.registerViewType(outlineType, (leaf) => new OutlineView(leaf));
	workspace.registerExtensions(["md"], "markdown");
	workspace.registerExtensions(imageExtensions, "image");
}

function addRibbon(app: App): void {
	const { leftRibbon } = app.workspace;
	const run = (id: string) => () => app.commands.executeCommandById(id);
	leftRibbon.addRibbonItemButton(
		"left-sidebar",
		"panel-left",
		"Toggle left sidebar",
		run("app:toggle-left-sidebar"),
	);
	leftRibbon.addRibbonItemButton("switcher", "file-search", "Open quick switcher", run("switcher:open"));
	leftRibbon.addRibbonItemButton("daily-notes", "calendar", "Open today's daily note", run("daily-notes"));
	leftRibbon.addRibbonItemButton(
		"command-palette",
		"terminal",
		"Open command palette",
		run("command-palette:open"),
	);
	leftRibbon.addBottomButton("panel-right", "Toggle right sidebar", run("app:toggle-right-sidebar"));
	leftRibbon.addBottomButton("sun-moon", "Toggle light/dark mode", run("theme:toggle-light-dark"));
	leftRibbon.addBottomButton("settings", "Settings", run("app:open-settings"));
}

/** What a vault without a saved layout opens with. */
async function defaultLayout(app: App, open: string | null): Promise<void> {
	const { workspace } = app;
	await workspace.getLeftLeaf(false)?.setViewState({ type: fileExplorerType });
	await workspace.getRightLeaf(false)?.setViewState({ type: outlineType });
	if (!app.isMobile) workspace.leftSplit.expand();
	workspace.rightSplit.collapse();
	const leaf = workspace.getMostRecentLeaf();
	if (leaf) workspace.setActiveLeaf(leaf);
	const file = open === null ? null : app.vault.getFileByPath(open);
	if (file) await leaf?.openFile(file);
}

/** Words and characters of the active note in the status bar. */
function addStatus(app: App): void {
	const { workspace, statusBar } = app;
	const words = statusBar.addItem("plugin-word-count");
	const update = (): void => {
		const text = workspace.activeEditor?.editor?.getValue();
		if (text === undefined) words.setText("");
		else words.setText(`${text.match(/[\p{L}\p{N}'’-]+/gu)?.length ?? 0} words   ${text.length} characters`);
	};
	workspace.on("file-open", update);
	workspace.on("editor-change", update);
	workspace.on("active-leaf-change", update);
	update();
}

/** Moment's name for a language of the app; English where it has none. */
function dateLocale(language: string): string {
	const names: Record<string, string> = { zh: "zh-cn", no: "nb" };
	const name = names[language] ?? language.toLowerCase();
	return moment.locales().includes(name) ? name : "en";
}
