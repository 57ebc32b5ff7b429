import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexed, repository, startPlayground, type Playground } from "./harness";

const vault = join(repository, "test/e2e/harness/fixture-vault");

/** What the page's script in a test has at hand; the real module's types are not needed for what is done here. */
type Loose = Record<string, unknown>;

describe("the parts of an interface", () => {
	let playground: Playground;
	let page: Page;

	beforeAll(async () => {
		playground = await startPlayground({ vault, plugin: null });
		page = playground.page;
	});
	afterAll(() => playground.close());

	const heard = (): Promise<Loose> => page.evaluate(() => (window as unknown as { heard: Loose }).heard);

	test("every kind of control has its setting's name and reports what the person did", async () => {
		await page.evaluate(() => {
			const { Modal, Setting, SecretComponent } = window.__playground?.obsidian ?? {};
			if (!Modal || !Setting || !SecretComponent) throw new Error("The module is not there.");
			const said: Record<string, unknown> = {};
			(window as unknown as { heard: unknown }).heard = said;
			const tell = (key: string) => (value: unknown) => void (said[key] = value);
			const modal = new Modal(window.app).setTitle("Controls");
			const row = (name: string) => new Setting(modal.contentEl).setName(name);
			row("Text").addText((text) => text.onChange(tell("text")));
			row("Area").addTextArea((area) => area.onChange(tell("area")));
			row("Toggle").addToggle((toggle) => toggle.onChange(tell("toggle")));
			row("Choice").addDropdown((choice) =>
				choice.addOptions({ a: "First", b: "Second" }).onChange(tell("choice")),
			);
			row("Slider").addSlider((slider) =>
				slider.setLimits(0, 10, 1).setInstant(true).onChange(tell("slider")),
			);
			row("Search").addSearch((search) => search.setValue("old").onChange(tell("search")));
			row("Colour").addColorPicker((colour) => colour.setValue("#ff0000").onChange(tell("colour")));
			row("Press").addButton((button) =>
				button.setButtonText("Press me").onClick(() => tell("button")(true)),
			);
			row("Extra").addExtraButton((button) => button.setTooltip("More").onClick(() => tell("extra")(true)));
			row("Key").addComponent((el) => new SecretComponent(window.app, el).onChange(tell("secret")));
			row("Format").addMomentFormat((format) => format.setDefaultFormat("YYYY").onChange(tell("format")));
			modal.open();
		});
		const dialog = page.getByRole("dialog", { name: "Controls" });
		await dialog.getByRole("textbox", { name: "Text" }).fill("typed");
		await dialog.getByRole("textbox", { name: "Area" }).fill("two\nlines");
		await dialog.getByRole("switch", { name: "Toggle" }).check({ force: true });
		await dialog.getByRole("combobox", { name: "Choice" }).selectOption("b");
		await dialog.getByRole("slider", { name: "Slider" }).fill("7");
		await dialog.getByRole("button", { name: "Clear search" }).click();
		await dialog.getByLabel("Colour").fill("#00ff00");
		await dialog.getByRole("button", { name: "Press me" }).click();
		await dialog.getByRole("button", { name: "More" }).click();
		await dialog.getByRole("textbox", { name: "Format" }).fill("MM");
		await dialog.getByRole("button", { name: "Link…" }).click();
		const secrets = page.getByRole("dialog", { name: "Secrets" });
		await secrets.getByRole("textbox", { name: "ID" }).fill("Not An Id");
		await secrets.getByRole("textbox", { name: "Secret", exact: true }).fill("hidden");
		await secrets.getByRole("button", { name: "Save" }).click();
		await secrets.getByRole("alert").getByText("lowercase").waitFor();
		await secrets.getByRole("textbox", { name: "ID" }).fill("my-key");
		await secrets.getByRole("button", { name: "Save" }).click();
		await secrets.waitFor({ state: "detached" });
		expect(await heard()).toEqual({
			text: "typed",
			area: "two\nlines",
			toggle: true,
			choice: "b",
			slider: 7,
			search: "",
			colour: "#00ff00",
			button: true,
			extra: true,
			secret: "my-key",
			format: "MM",
		});
		expect(await page.evaluate(() => window.app.secretStorage.getSecret("my-key"))).toBe("hidden");
		await page.keyboard.press("Escape");
		await dialog.waitFor({ state: "detached" });
	});

	test("suggestions under an input follow what is typed and are chosen by keys", async () => {
		await page.evaluate(() => {
			const { AbstractInputSuggest, Modal } = window.__playground?.obsidian ?? {};
			if (!Modal || !AbstractInputSuggest) throw new Error("The module is not there.");
			const modal = new Modal(window.app).setTitle("Suggest");
			const input = modal.contentEl.createEl("input", { type: "text", attr: { "aria-label": "Fruit" } });
			class Fruit extends AbstractInputSuggest<string> {
				override getSuggestions(query: string): Promise<string[]> {
					return Promise.resolve(["apple", "apricot", "banana"].filter((fruit) => fruit.includes(query)));
				}
				override renderSuggestion(value: string, el: HTMLElement): void {
					el.setText(value);
				}
				override selectSuggestion(value: string): void {
					this.setValue(value);
					this.close();
				}
			}
			new Fruit(window.app, input);
			modal.open();
		});
		const input = page.getByRole("textbox", { name: "Fruit" });
		await input.fill("ap");
		await page.getByRole("option", { name: "apricot" }).waitFor();
		expect(await page.getByRole("option").allTextContents()).toEqual(["apple", "apricot"]);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		expect(await input.inputValue()).toBe("apricot");
		await page.keyboard.press("Escape");
	});

	test("a fuzzy dialog finds, an empty one says so, and the focus goes back to where it was", async () => {
		await page.evaluate(() => {
			const { FuzzySuggestModal } = window.__playground?.obsidian ?? {};
			if (!FuzzySuggestModal) throw new Error("The module is not there.");
			(window as unknown as { heard: unknown }).heard = {};
			class Colours extends FuzzySuggestModal<string> {
				override getItems(): string[] {
					return ["Red", "Dark green", "Green"];
				}
				override getItemText(item: string): string {
					return item;
				}
				override onChooseItem(item: string): void {
					(window as unknown as { heard: Record<string, unknown> }).heard["colour"] = item;
				}
			}
			const button = document.body.createEl("button", { text: "Choose a colour" });
			button.addEventListener("click", () => new Colours(window.app).open());
		});
		const button = page.getByRole("button", { name: "Choose a colour" });
		await button.click();
		await page.keyboard.type("zzz");
		await page.getByText("No match found.").waitFor();
		await page.getByRole("combobox").fill("gre");
		await page.keyboard.press("Enter");
		expect(await heard()).toEqual({ colour: "Green" });
		expect(await button.evaluate((el) => el === document.activeElement)).toBe(true);
		await button.evaluate((el) => el.remove());
	});

	test("a dialog keeps the focus inside, a menu is walked by keys, a notice goes on a click", async () => {
		await page.evaluate(() => {
			const { ConfirmationModal, Menu, Notice } = window.__playground?.obsidian ?? {};
			if (!ConfirmationModal || !Menu || !Notice) throw new Error("The module is not there.");
			(window as unknown as { heard: Record<string, unknown> }).heard = {};
			const tell = (key: string) => () =>
				void ((window as unknown as { heard: Record<string, unknown> }).heard[key] = true);
			new Notice("Stays", 0);
			const modal = new ConfirmationModal(window.app).setTitle("Sure?");
			modal.addButton((button) => button.setButtonText("Yes").onClick(tell("yes"))).addCancelButton();
			modal.open();
			(window as unknown as { menu: () => void }).menu = () => {
				const menu = new Menu();
				menu.addItem((item) => item.setTitle("One").setDisabled(true).onClick(tell("one")));
				menu.addItem((item) => item.setTitle("Two").onClick(tell("two")));
				menu.addItem((item) => item.setTitle("Three").setSection("z").onClick(tell("three")));
				menu.showAtPosition({ x: 100, y: 100 });
			};
		});
		const dialog = page.getByRole("dialog", { name: "Sure?" });
		for (let n = 0; n < 7; n++) {
			await page.keyboard.press("Tab");
			expect(await dialog.evaluate((el) => el.contains(document.activeElement))).toBe(true);
		}
		await dialog.getByRole("button", { name: "Yes" }).click();
		await dialog.waitFor({ state: "detached" });
		await page.evaluate(() => (window as unknown as { menu: () => void }).menu());
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		expect(await heard()).toEqual({ yes: true, three: true });
		await page.getByText("Stays").click();
		expect(await page.getByText("Stays").count()).toBe(0);
	});

	test("files are made, renamed and deleted in the explorer", async () => {
		await page.getByRole("treeitem", { name: "Folder" }).click();
		await page.getByRole("treeitem", { name: "Inner" }).click({ button: "right" });
		await page.getByRole("menuitem", { name: "Rename..." }).click();
		await page.getByRole("combobox", { name: "New name" }).fill("Core");
		await page.keyboard.press("Enter");
		await page.getByRole("treeitem", { name: "Core" }).waitFor();
		await page.getByRole("treeitem", { name: "Core" }).click({ button: "right" });
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await page.getByRole("dialog", { name: "Delete file" }).getByRole("button", { name: "Delete" }).click();
		await page.getByRole("treeitem", { name: "Core" }).waitFor({ state: "detached" });
		await page.getByRole("button", { name: "New note", exact: true }).click();
		await page.getByRole("treeitem", { name: "Untitled" }).waitFor();
		expect(playground.errors).toEqual([]);
	});
});

test("a vault of thousands of notes opens with a few rows in the explorer, and all of it is indexed", async () => {
	const large = mkdtempSync(join(tmpdir(), "large-"));
	mkdirSync(join(large, "many"));
	const count = 4000;
	for (let n = 0; n < count; n++)
		writeFileSync(
			join(large, `many/note ${n}.md`),
			`# Note ${n}\n\n[[note ${(n + 1) % count}]] #tag${n % 7}\n`,
		);
	const playground = await startPlayground({ vault: large, plugin: null });
	const { page } = playground;
	try {
		await page.getByRole("treeitem", { name: "many" }).click();
		await page.getByRole("treeitem", { name: "note 0", exact: true }).waitFor();
		expect(await page.getByRole("treeitem").count()).toBeLessThan(100);
		await page.getByRole("tree", { name: "Files" }).evaluate((el) => (el.scrollTop = el.scrollHeight));
		await page.getByRole("treeitem", { name: `note ${count - 1}`, exact: true }).waitFor();
		await indexed(page);
		const sums = await page.evaluate(() => {
			const { metadataCache } = window.app;
			const links = Object.values(metadataCache.resolvedLinks).reduce(
				(sum, targets) => sum + Object.keys(targets).length,
				0,
			);
			return { links, tags: Object.values(metadataCache.getTags()).reduce((sum, n) => sum + n, 0) };
		});
		expect(sums).toEqual({ links: count, tags: count });
	} finally {
		await playground.close();
		rmSync(large, { recursive: true });
	}
});
