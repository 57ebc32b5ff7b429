// A review hides nothing, in Chromium: characters that have no drawing,
// bytes that are no text, code, and what lies below the fold.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, type Look } from "../../test/dev/build";
import { action, event, file, fileView, review, turn } from "../../test/dev/fixtures";
import { openStage, ready, show, type Stage } from "../../test/dev/stage";
import type { FileChange, FileView, Review } from "../protocol";

const path = "Inbox/Ideas.md";

/** Texts with the words of the marks that have to be drawn. */
const hostile: [string, string[]][] = [
	["a\0b", ["NUL"]],
	["a\u001b[2Kb", ["ESC"]],
	["photo\u202egpj.exe", ["RLO"]],
	["\u2066a\u2069", ["LRI", "PDI"]],
	["pass\u200bword", ["ZWSP"]],
	["pass\u200dword", ["ZWJ"]],
	["pass\u00adword", ["SHY"]],
	["a\ufeffb", ["BOM"]],
	["a\u2028b", ["LSEP"]],
	["a\u2800\u2800b", ["U+2800 ×2"]],
	["a\u3164b", ["U+3164"]],
	["hi\u{e0068}\u{e0069}", ["U+E0068", "U+E0069"]],
	["a\rb", ["CR"]],
	[`a${" ".repeat(400)}b`, ["␣ ×400"]],
	[`a${"\u0301".repeat(30)}b`, ["◌ ×30"]],
	["a\u0085b\u009b2J", ["NEL", "CSI"]],
];

describe.skipIf(!findChromium())("nothing that can be approved is unseen", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	async function open(shown: Review, view: FileView, look: Look = {}): Promise<Page> {
		const page = await show(stage, [ready, event("review.opened", { review: shown })], look, {
			"review.file": view,
		});
		onTestFinished(() => page.context().close());
		return page;
	}

	const modified = (fields: Partial<FileView> = {}): FileView =>
		fileView(path, { status: "modify", before: "old\n", after: "new\n", hunks: [], ...fields });
	const of = (fields: Partial<FileChange> = {}): Review =>
		review({ files: [file(path, { status: "modify", added: 1, removed: 1, ...fields })] });
	const press = (page: Page) => page.getByRole("button", { name: /Ideas/ }).first().click();

	it("draws marks in names, problems, goals and conversations, and in what is read aloud", async () => {
		const bad = "photo\u202egpj\u200b";
		const words = bad.replace("\u202e", "RLO").replace("\u200b", "ZWSP");
		const saved = action({ id: "s", name: bad, goal: bad });
		const failed = turn({
			phase: "done",
			outcome: "failed",
			text: bad,
			reasoning: bad,
			problem: {
				code: "NOT_FOUND",
				key: "error.vault.notFound",
				params: { path: bad },
				detail: bad,
				tool: bad,
				step: bad,
			},
		});
		const page = await show(stage, [
			ready,
			event("actions.changed", { actions: [saved] }),
			event("turn.ended", { turn: failed }),
		]);
		onTestFinished(() => page.context().close());
		const heard = await page.evaluate(() =>
			[
				document.body.innerText,
				...Array.from(
					document.querySelectorAll("*"),
					(el) => `${el.getAttribute("aria-label")} ${el.getAttribute("title")} ${el.textContent}`,
				),
			].join("\n"),
		);
		expect(heard).toContain(words);
		expect(heard).not.toMatch(/[\u202e\u200b]/);
	});

	it("draws a mark for every character that would not be seen, in what is added and what is taken out", async () => {
		const text = hostile.map(([line]) => `${line}\n`).join("");
		const words = hostile.flatMap(([, marks]) => marks);
		const sides: [string, FileView][] = [
			["added", modified({ before: "x\n", after: `x\n${text}` })],
			["taken out", modified({ before: `${text}same\n`, after: "same\n" })],
			["all new", fileView(path, { after: text })],
		];
		for (const [side, view] of sides) {
			const page = await open(of({ status: view.status }), view, { height: 3000 });
			await press(page);
			const marks = page.locator(".ea-diff .ea-mark");
			await expect.poll(() => marks.allTextContents(), { message: side }).toEqual(words);
			const drawn = await page.locator(".ea-diff .cm-content").innerText();
			// eslint-disable-next-line no-control-regex -- these are what must not be there
			expect(drawn).not.toMatch(/[\0\u001b\u202e\u2066\u2800\u3164\u0085\u009b]|s\u200bw|a\ufeff/);
		}
	});

	it("marks them in the goal, in paths, assumptions, steps and the summary", async () => {
		const odd = "pay\u202e\u200b";
		const name = "Inbox/P\u0430ss.md";
		const shown = review({
			goal: odd,
			assumptions: [odd],
			summary: [{ tone: "modify", text: { key: "review.modify", params: { n: "1", path: name } } }],
			files: [file(name, { status: "modify" })],
		});
		const page = await open(shown, modified());
		await expect.poll(() => page.locator("h3 .ea-mark").allInnerTexts()).toEqual(["RLO", "ZWSP"]);
		expect(await page.locator(".ea-path .ea-mark").allInnerTexts()).toEqual(["U+0430"]);
		expect(await page.locator(".ea-summary .ea-mark").allInnerTexts()).toEqual(["U+0430"]);
		expect(await page.locator(".ea-path").first().getAttribute("title")).toContain("⟨U+0430⟩");
		expect(await page.locator("details li .ea-mark").allTextContents()).toEqual(["RLO", "ZWSP"]);
	});

	it("tells bytes that are no text by size, kind and hash, and still shows a side that is text", async () => {
		const facts = {
			bytes: 12345,
			type: { key: "file.type.image", params: { format: "PNG" } },
			hash: "ab".repeat(32),
		};
		const page = await open(
			of({ binary: true }),
			modified({ binary: true, before: "", beforeFacts: facts, after: "<% evil %>\n" }),
		);
		await press(page);
		await page.getByText(`PNG image, 12,345 bytes, SHA-256 ${facts.hash}`).waitFor();
		await expect.poll(() => page.locator(".cm-line").allInnerTexts()).toContain("<% evil %>");
	});

	it("says code at its line and beside the file's name", async () => {
		const alert = { line: 2, text: { key: "alert.code", params: { what: "Templater" } } };
		const page = await open(
			of({ runs: 1, loads: 1 }),
			modified({ after: "new\n<% x %>\n", alerts: [alert] }),
		);
		await page.getByText("May run code", { exact: true }).waitFor();
		await page.getByText("Loads from the web", { exact: true }).waitFor();
		await press(page);
		const words = page.locator(".ea-diff .ea-alert");
		await expect.poll(() => words.allInnerTexts()).toEqual(["Code that Templater may run"]);
		const below = await words.first().evaluate((row) => row.nextElementSibling?.textContent);
		expect(below).toBe("<% x %>");
	});

	it("says how many lines lie below what is in sight, until they are", async () => {
		const lines = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join("\n");
		const page = await open(of({ status: "create" }), fileView(path, { after: `${lines}\nEVIL\n` }));
		await press(page);
		const hint = page.locator(".ea-below");
		await expect.poll(() => hint.innerText()).toMatch(/^3\d\d more lines below/);
		await page.locator(".ea-diff .cm-scroller").evaluate((el) => el.scrollTo(0, el.scrollHeight));
		await expect.poll(() => hint.count()).toBe(0);
		await page.getByText("EVIL", { exact: true }).waitFor();
	});

	it("keeps a long line and a long run of spaces inside its box, at 300 px, light and dark", async () => {
		for (const theme of ["light", "dark"] as const) {
			const after = `Buy milk${" ".repeat(3000)}<%* evil %>\n${"x".repeat(5000)}\n`;
			const page = await open(of({ runs: 1 }), modified({ after }), { width: 300, theme });
			await press(page);
			await page.locator(".ea-diff .ea-mark").first().waitFor();
			const wide = await page
				.locator(".ea-diff .cm-editor")
				.evaluate((el) => el.scrollWidth - el.clientWidth);
			expect(wide).toBeLessThanOrEqual(1);
			if (process.env["PICTURES"])
				await page.screenshot({ path: `${process.env["PICTURES"]}/unseen-${theme}.png` });
		}
	});
});
