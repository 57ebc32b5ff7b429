// Takes the pictures of the README and the user guide: plays the stories of
// the guide in the playground, with the release main.js and the demo model, and
// writes docs/images/*.png at two pixels per CSS pixel, in at most 256 colours.
// ONLY=name takes only the stories whose name begins so.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { startModelServer } from "../test/playground/model/server.mjs";
import { root } from "./build/wasm.mjs";
import { reduce } from "./png.mjs";

const images = join(root, "docs/images");
/** As deep below build/ as the harness is below the root, which it finds by its own place. */
const bundled = join(root, "build/screenshots/harness/index.mjs");

const sentence =
	"Create a note for each bullet of the selection in folder Projects/XYZ and replace the selection with links to them";
const rename = "Rename Notes/Mulch to Mulching";
/** A note of the sample vault with ten bullets, and the first and last line (from 0) that are selected. */
const ideas = { path: "Inbox/Ideas for the garden.md", from: 9, to: 24 };

/** The harness of the end-to-end tests, whose sources are TypeScript, as a module for Node. */
async function loadHarness() {
	await esbuild.build({
		entryPoints: [join(root, "test/e2e/harness/index.ts")],
		outfile: bundled,
		bundle: true,
		platform: "node",
		format: "esm",
		packages: "external",
		logLevel: "warning",
		plugins: [
			{
				// Scripts are JavaScript already, and know their own place too.
				name: "scripts-stay-where-they-are",
				setup(build) {
					build.onResolve({ filter: /^\..*\.mjs$/ }, ({ path, resolveDir }) => ({
						path: pathToFileURL(join(resolveDir, path)).href,
						external: true,
					}));
				},
			},
		],
	});
	return import(pathToFileURL(bundled).href);
}

/** A person in front of the app. */
class Seat {
	constructor(harness, playground, side) {
		Object.assign(this, { harness, playground, side, page: playground.page });
		this.panel = this.page.locator(".ea-panel");
		this.plan = this.panel.getByRole("region", { name: "Plan" });
		this.log = this.panel.getByRole("region", { name: "Run log" });
	}

	button(name) {
		return this.panel.getByRole("button", { name, exact: true });
	}

	async openPanel() {
		await this.harness.runCommand(this.page, "embedded-agent:open");
		await this.panel.getByRole("textbox", { name: "Message" }).waitFor();
	}

	/** Gives the panel the room that a person would drag it to, and folds the files away. */
	async arrange() {
		// Playgrounds have no font of their own; one with even rounding keeps words and icons in line.
		await this.page.addStyleTag({
			content: "body { --font-interface: 'Inter', 'Liberation Sans', sans-serif }",
		});
		if (!this.side) return;
		await this.page.addStyleTag({
			content: `.mod-sidedock.mod-left-split, .status-bar, .notice-container { display: none !important; }
			.mod-sidedock.mod-right-split { width: ${this.side}px !important; }`,
		});
	}

	async select({ path, from, to } = ideas) {
		await this.harness.openNote(this.page, path);
		await this.harness.selectLines(this.page, from, to);
		await this.panel.getByRole("group", { name: "Selection" }).waitFor();
	}

	async ask(text = sentence) {
		await this.panel.getByRole("textbox", { name: "Message" }).fill(text);
		await this.button("Run").click();
		await this.button("Approve").waitFor();
	}

	async askAboutSelection() {
		await this.select();
		await this.ask();
	}

	async approve(outcome = "ok") {
		await this.button("Approve").click();
		await this.panel.locator(`section.ea-run[data-outcome="${outcome}"]`).waitFor();
	}

	/** Opens the row of a file in the plan and scrolls to it. */
	async unfold(path) {
		const name = this.page.locator(`.ea-path[title="${path}"]`);
		const row = this.plan.getByRole("listitem").filter({ has: name });
		await row.locator("button[data-row]").click();
		await row.locator(".cm-content").last().waitFor();
		await row.evaluate((element) => element.scrollIntoView({ block: "start" }));
	}

	/** Changes a note as another hand would. */
	async edit(path, from, to) {
		await this.page.evaluate(
			async (change) => {
				const file = window.app.vault.getFileByPath(change.path);
				await window.app.vault.process(file, (text) => text.replace(change.from, change.to));
			},
			{ path, from, to },
		);
	}

	/** Takes a picture of the window, or of one element. */
	async picture(name, element) {
		await this.page.mouse.move(2, 2);
		const png = await (element ?? this.page).screenshot({ animations: "disabled", caret: "hide" });
		const small = reduce(png);
		writeFileSync(join(images, `${name}.png`), small);
		console.log(`docs/images/${name}.png ${small.length} bytes`);
	}
}

/** A window of which only the panel is shown. */
const panelOnly = { width: 1000, height: 1000, side: 470 };

/** What is played: how the window looks, and the story, which takes its pictures. */
const stories = [
	{
		name: "review",
		themes: ["light", "dark"],
		width: 1100,
		height: 720,
		side: 480,
		async play(seat, suffix) {
			await seat.askAboutSelection();
			await seat.picture(`review${suffix}`);
		},
	},
	{
		name: "ask",
		...panelOnly,
		height: 560,
		async play(seat) {
			await seat.select();
			await seat.panel.getByRole("textbox", { name: "Message" }).fill(sentence);
			await seat.picture("ask", seat.panel);
		},
	},
	{
		name: "change",
		...panelOnly,
		async play(seat) {
			await seat.askAboutSelection();
			await seat.unfold(ideas.path);
			await seat.picture("change", seat.panel);
		},
	},
	{
		name: "run",
		...panelOnly,
		async play(seat) {
			await seat.askAboutSelection();
			await seat.approve();
			await seat.picture("run", seat.panel);
			await seat.button("Revert last run").click();
			const said = seat.panel.locator(".ea-reverted");
			await said.waitFor();
			await seat.page.setViewportSize({ width: 1000, height: 620 });
			await said.scrollIntoViewIfNeeded();
			await seat.picture("reverted", seat.panel);
		},
	},
	{
		name: "rename",
		...panelOnly,
		height: 900,
		async play(seat) {
			await seat.ask(rename);
			await seat.picture("rename", seat.panel);
		},
	},
	{
		name: "partial",
		...panelOnly,
		height: 1100,
		async play(seat) {
			await seat.askAboutSelection();
			const { faults } = seat.playground;
			faults.set({ fail: [{ op: "write", nth: 7, path: "Projects/XYZ/", code: "ENOSPC" }] });
			await seat.approve("partial");
			faults.clear();
			await seat.picture("partial", seat.panel);
		},
	},
	{
		name: "conflict",
		...panelOnly,
		async play(seat) {
			await seat.askAboutSelection();
			await seat.approve();
			await seat.edit(ideas.path, "- [[Seed library]]", "- [[Seed library]], in the old cupboard");
			await seat.button("Revert last run").click();
			await seat.button("Apply choices").waitFor();
			await seat.picture("conflict", seat.panel);
		},
	},
	{
		name: "actions",
		...panelOnly,
		height: 620,
		async play(seat) {
			await seat.askAboutSelection();
			await seat.approve();
			await seat.button("Save as action").click();
			await seat.panel.getByRole("textbox", { name: "Name of the action" }).fill("Notes from bullets");
			await seat.button("Save").click();
			const saved = seat.panel.getByRole("region", { name: "Saved actions" });
			await saved.getByText("Notes from bullets").waitFor();
			await seat.button("New conversation").click();
			await seat.picture("actions", seat.panel);
			await seat.panel.getByRole("button", { name: "More options for Notes from bullets" }).click();
			await seat.page.getByRole("menuitem", { name: "Open as steps" }).click();
			const editor = seat.panel.getByRole("region", { name: "Saved action" });
			await editor.locator("button.ea-step-name").nth(3).click();
			await seat.page.setViewportSize({ width: 1000, height: 1100 });
			await editor.locator("button.ea-step-name").nth(3).scrollIntoViewIfNeeded();
			await seat.picture("steps", seat.panel);
			await seat.button("Back").click();
			await seat.page.setViewportSize({ width: 1000, height: 620 });
			await seat.button("History").click();
			await seat.panel.getByRole("region", { name: "History" }).getByRole("list").waitFor();
			await seat.picture("history", seat.panel);
		},
	},
	{
		name: "plugins",
		...panelOnly,
		height: 720,
		async play(seat) {
			seat.harness.keepPluginList(seat.playground.vaultDir);
			await seat.button("Manage saved actions").click();
			await seat.page.getByRole("menuitem", { name: "Community plugins" }).click();
			await seat.panel.getByRole("searchbox", { name: "What do you need help with?" }).fill("a kanban board");
			await seat.button("Search").click();
			await seat.panel.getByText(/May help: Kanban by/).waitFor();
			await seat.picture("plugins", seat.panel);
		},
	},
	{
		name: "recovery",
		...panelOnly,
		height: 620,
		async play(seat) {
			await seat.askAboutSelection();
			seat.playground.faults.set({ latencyMs: 150 });
			await seat.button("Approve").click();
			await seat.page.waitForFunction(
				() => (window.app.vault.getFolderByPath("Projects/XYZ")?.children.length ?? 0) >= 3,
			);
			seat.playground.faults.kill();
			await seat.playground.restart();
			await seat.arrange();
			await seat.openPanel();
			await seat.panel.getByText("A run was interrupted").waitFor();
			await seat.picture("recovery", seat.panel);
		},
	},
	{
		name: "settings",
		width: 1100,
		height: 1240,
		async play(seat) {
			await seat.button("Open settings").click();
			const provider = seat.page.getByRole("combobox", { name: "Provider" });
			await provider.selectOption({ label: "OpenAI" });
			await seat.page.getByRole("textbox", { name: "Additional headers" }).waitFor();
			await provider.blur();
			await seat.picture("settings");
			await provider.selectOption({ label: "Demo model" });
			await seat.page.getByRole("textbox", { name: "Additional headers" }).waitFor({ state: "hidden" });
			await seat.page.setViewportSize({ width: 1100, height: 900 });
			await seat.page.getByRole("button", { name: /^Agent tools/ }).click();
			await seat.page.getByRole("listitem").filter({ hasText: "vault.readFile" }).first().waitFor();
			await seat.picture("tools");
		},
	},
	{
		name: "phone",
		profile: "android",
		async play(seat) {
			await seat.ask(rename);
			await seat.picture("phone");
		},
	},
];

async function play(harness, browser, story, theme) {
	const model = await startModelServer({ port: 0, delayMs: 0 });
	const playground = await harness.startPlayground({
		vault: join(root, "test/playground/vault"),
		data: { demoModelUrl: model.url },
		width: story.width,
		height: story.height,
		profile: story.profile,
		theme,
		// The harness opens its pages at one pixel per CSS pixel; pictures want two.
		browser: { newContext: (options) => browser.newContext({ ...options, deviceScaleFactor: 2 }) },
	});
	try {
		const seat = new Seat(harness, playground, story.side);
		await seat.arrange();
		await seat.openPanel();
		await story.play(seat, theme === "dark" ? "-dark" : "");
	} finally {
		await playground.close();
		await model.close();
	}
}

async function main() {
	const only = process.env.ONLY ?? "";
	if (!existsSync(join(root, "main.js"))) throw new Error("main.js is missing: run make build first.");
	mkdirSync(images, { recursive: true });
	const harness = await loadHarness();
	const browser = await harness.launchChromium();
	try {
		for (const story of stories.filter(({ name }) => name.startsWith(only)))
			for (const theme of story.themes ?? ["light"]) await play(harness, browser, story, theme);
	} finally {
		await browser.close();
		rmSync(join(root, "build/screenshots"), { recursive: true, force: true });
	}
}

await main();
