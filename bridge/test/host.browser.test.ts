// The host in Chromium, over the playground: notes, links, commands, the store and the device.

import { existsSync, readFileSync, writeFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { App } from "obsidian";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openNote } from "../../test/e2e/harness";
import { openHost, type HostPage } from "./host-page";

let host: HostPage;
const call: HostPage["call"] = (...args) => host.call(...args);

beforeAll(async () => {
	host = await openHost();
});
afterAll(() => host?.close());

const disk = (path: string) => join(host.playground.vaultDir, path);
const onDisk = (path: string) => readFileSync(disk(path), "utf8");
const text = (value: string) => ({ text: value, blob: -1 });
const apply = (op: object, blobs?: number[][]) => call("vault.apply", op, blobs);
const create = (path: string, value: string) => apply({ kind: "create", path, data: text(value) });
const modify = (path: string, before: string, after: string, more = {}) =>
	apply({ kind: "modify", path, before: text(before), data: text(after), ...more });

let n = 0;
/** A name that no other test uses. */
const fresh = (suffix = ".md") => `note ${++n}${suffix}`;

describe("reading", () => {
	test("gives a file's bytes as they are", async () => {
		const { result, bytes } = await call("vault.read", { path: "a.md" });
		expect(result).toEqual({ text: "", blob: 0 });
		expect(Buffer.from(bytes?.[0] ?? []).toString()).toBe(onDisk("a.md"));
	});

	test("of a note with unsaved edits gives the editor's text", async () => {
		const path = fresh();
		await create(path, "saved\n");
		await openNote(host.playground.page, path);
		await host.playground.page.keyboard.press("Control+End");
		await host.playground.page.keyboard.type("typed");
		const { result } = await call("vault.read", { path });
		expect(result).toEqual({ text: "saved\ntyped", blob: -1 });
		expect(onDisk(path)).toBe("saved\n");
	});

	test("of what is not there, a folder, a hidden file or a way out is refused", async () => {
		const key = async (path: string) => (await call("vault.read", { path })).problem?.key;
		expect(await key("none.md")).toBe("error.vault.notFound");
		expect(await key("Sub")).toBe("error.vault.isFolder");
		expect(await key(".obsidian/app.json")).toBe("error.path.hidden");
		expect(await key("Sub/../a.md")).toBe("error.path.outside");
	});

	test("lists and walks sorted by path, without hidden entries, the root included", async () => {
		const paths = async (method: string, path: string) =>
			((await call(method, { path })).result as { entries: { path: string; kind: string }[] }).entries.map(
				(e) => e.path,
			);
		const all = await paths("vault.walk", "");
		expect(all).toEqual([...all].sort());
		expect(all).toContain("Sub/c.md");
		expect(all.filter((p) => p.startsWith("."))).toEqual([]);
		expect(await paths("vault.list", "Sub")).toEqual(["Sub/c.md"]);
		expect((await call("vault.stat", { path: "" })).result).toMatchObject({ path: "", kind: "folder" });
		expect((await call("vault.stat", { path: "a.md" })).result).toMatchObject({
			kind: "file",
			size: onDisk("a.md").length,
		});
	});
});

describe("writing", () => {
	test("a create makes the file, refuses a path where something is, and a folder that is not there", async () => {
		const path = fresh();
		expect((await create(path, "ü\r\n")).result).toMatchObject({ path, kind: "file", size: 4 });
		expect(onDisk(path)).toBe("ü\r\n");
		expect((await create(path, "other")).problem).toMatchObject({
			code: "CONFLICT",
			key: "error.vault.exists",
		});
		expect(onDisk(path)).toBe("ü\r\n");
		writeFileSync(disk("unseen.md"), "from outside");
		expect((await create("unseen.md", "x")).problem?.code).toBe("CONFLICT");
		expect((await create("none/x.md", "x")).problem?.key).toBe("error.vault.noFolder");
	});

	test("a modify writes what was approved, and refuses bytes other than those it was approved for", async () => {
		const path = fresh();
		await create(path, "one\n");
		expect((await modify(path, "one\n", "two\n")).result).toMatchObject({ path, size: 4 });
		expect(onDisk(path)).toBe("two\n");
		expect((await modify(path, "one\n", "three\n")).problem).toMatchObject({
			code: "CONFLICT",
			key: "error.vault.changed",
		});
		expect(onDisk(path)).toBe("two\n");
	});

	for (const [name, before, after] of [
		["CRLF", "a\r\nb\r\n", "a\r\nB\r\n"],
		["a BOM", "\uFEFFa\n", "\uFEFFb\n"],
		["a BOM and CRLF", "\uFEFFa\r\n", "\uFEFFb\r\n"],
		["mixed line ends", "a\r\nb\nc\r", "a\r\nB\nc\r"],
	] as const) {
		test(`${name} survives a modify, also while the note is open`, async () => {
			const path = fresh();
			await create(path, before);
			expect(onDisk(path)).toBe(before);
			expect((await modify(path, before, after)).problem).toBeUndefined();
			expect(onDisk(path)).toBe(after);
			await openNote(host.playground.page, path);
			expect((await modify(path, after, before)).problem).toBeUndefined();
			expect(onDisk(path)).toBe(before);
		});
	}

	test("bytes that are no text survive, and are compared before they are replaced", async () => {
		const path = fresh(".bin");
		const data = { text: "", blob: 0 };
		expect((await apply({ kind: "create", path, data }, [[255, 0, 254]])).result).toMatchObject({ size: 3 });
		const before = { text: "", blob: 0 };
		const after = { text: "", blob: 1 };
		const op = { kind: "modify", path, before, data: after };
		expect((await apply(op, [[1], [2]])).problem?.code).toBe("CONFLICT");
		expect((await apply(op, [[255, 0, 254], [128]])).problem).toBeUndefined();
		expect([...readFileSync(disk(path))]).toEqual([128]);
	});

	test("an open note is written through its editor, saved, undone by its own undo, and the cursor goes where it should", async () => {
		const path = fresh();
		await create(path, "first\nsecond\n");
		await openNote(host.playground.page, path);
		const caret = { from: { line: 1, ch: 3 }, to: { line: 1, ch: 3 } };
		expect((await modify(path, "first\nsecond\n", "first\n2nd\n", { caret })).problem).toBeUndefined();
		expect(onDisk(path)).toBe("first\n2nd\n");
		expect((await call("editor.state", {})).result).toMatchObject({ path, selection: caret, text: "" });
		await host.playground.page.locator(".cm-content").first().focus();
		await host.playground.page.keyboard.press("Control+z");
		expect((await call("vault.read", { path })).result).toMatchObject({ text: "first\nsecond\n" });
	});

	test("unsaved text is the baseline of an open note, and is never lost", async () => {
		const path = fresh();
		await create(path, "saved\n");
		await openNote(host.playground.page, path);
		await host.playground.page.keyboard.press("Control+End");
		await host.playground.page.keyboard.type("typed");
		expect((await modify(path, "saved\n", "agent\n")).problem).toMatchObject({ code: "CONFLICT" });
		expect((await modify(path, "saved\ntyped", "saved\ntyped\nagent")).problem).toBeUndefined();
		expect(onDisk(path)).toBe("saved\ntyped\nagent");
	});

	test("an open note whose saving fails is as it was, in its editor and on the disk, and the write counts as not made", async () => {
		const path = fresh();
		await create(path, "first\nsecond\n");
		await openNote(host.playground.page, path);
		const { faults } = host.playground;
		faults.set({ fail: [{ op: "write", path, code: "EIO", nth: 1 }] });
		try {
			expect((await modify(path, "first\nsecond\n", "first\nRUN\n")).problem).toBeDefined();
		} finally {
			faults.clear();
		}
		const shown = () => host.playground.page.locator(".cm-content").first().innerText();
		expect(await shown()).not.toContain("RUN");
		// What the person types next is saved; nothing of the write goes along.
		await host.playground.page.locator(".cm-content").first().focus();
		await host.playground.page.keyboard.press("Control+End");
		await host.playground.page.keyboard.type("typed");
		await expect.poll(() => onDisk(path), { timeout: 15_000 }).toBe("first\nsecond\ntyped");
		expect((await modify(path, "first\nsecond\ntyped", "first\nRUN\ntyped")).problem).toBeUndefined();
	});

	test("a note that does not exist yet may be linked to", async () => {
		const [path, linking] = [fresh(), fresh()];
		await create(linking, `[[${path.replace(".md", "")}]]\n`);
		const { result } = await call("vault.backlinks", { path: `Sub/${path}` });
		expect((result as { paths: string[] }).paths).toContain(linking);
	});

	test("20 writes at once to one path happen in their order, each on the bytes of the one before", async () => {
		const path = fresh();
		await create(path, "0");
		const all = await Promise.all(
			Array.from({ length: 20 }, (_, i) => modify(path, String(i), String(i + 1))),
		);
		expect(all.filter((o) => o.problem)).toEqual([]);
		expect(onDisk(path)).toBe("20");
	});

	test("a rename touches no link in other notes, and refuses a path that is taken", async () => {
		const [from, to, linking] = [fresh(), fresh(), fresh()];
		const name = from.replace(".md", "");
		await create(from, "x");
		await create(linking, `[[${name}]]\n`);
		expect((await apply({ kind: "rename", path: from, to: "b.md" })).problem).toMatchObject({
			code: "CONFLICT",
		});
		expect((await apply({ kind: "rename", path: from, to })).result).toMatchObject({ path: to });
		expect([existsSync(disk(from)), onDisk(to), onDisk(linking)]).toEqual([false, "x", `[[${name}]]\n`]);
	});

	test("trash and remove refuse bytes that were not seen; trash follows the person's setting", async () => {
		const path = fresh();
		await create(path, "x");
		expect((await apply({ kind: "trash", path, before: text("y") })).problem).toMatchObject({
			code: "CONFLICT",
		});
		expect((await apply({ kind: "remove", path, before: text("y") })).problem).toMatchObject({
			code: "CONFLICT",
		});
		expect((await apply({ kind: "trash", path, before: text("x") })).result).toMatchObject({ path: "" });
		expect(existsSync(disk(path))).toBe(false);
		await create(path, "z");
		expect((await apply({ kind: "remove", path, before: text("z") })).problem).toBeUndefined();
		expect(existsSync(disk(path))).toBe(false);
		expect((await create(path, "again")).problem).toBeUndefined(); // the index has seen it go
	});

	test("a remove reads the file once, and takes an unsaved text that was seen with it", async () => {
		const { page } = host.playground;
		const reads = (path: string) =>
			page.evaluate((path) => {
				const { vault } = (window as unknown as { app: App }).app;
				const read = vault.readBinary.bind(vault);
				const of = { reads: 0 };
				Object.assign(window, { of });
				vault.readBinary = (file) => ((of.reads += file.path === path ? 1 : 0), read(file));
			}, path);
		const path = fresh();
		await create(path, "x");
		await reads(path);
		expect((await apply({ kind: "remove", path, before: text("x") })).problem).toBeUndefined();
		expect(await page.evaluate(() => (window as unknown as { of: { reads: number } }).of.reads)).toBe(1);
		expect(existsSync(disk(path))).toBe(false);

		const open = fresh();
		await create(open, "saved\n");
		await openNote(page, open);
		await page.keyboard.press("Control+End");
		await page.keyboard.type("typed");
		expect((await apply({ kind: "remove", path: open, before: text("saved\n") })).problem).toMatchObject({
			code: "CONFLICT",
		});
		expect(onDisk(open)).toBe("saved\n");
		expect(
			(await apply({ kind: "remove", path: open, before: text("saved\ntyped") })).problem,
		).toBeUndefined();
		expect(existsSync(disk(open))).toBe(false);
	});

	test("folders are made and removed when empty, hidden files counted", async () => {
		const path = fresh("");
		expect((await apply({ kind: "mkdir", path })).result).toMatchObject({ path, kind: "folder" });
		expect((await apply({ kind: "mkdir", path })).problem).toMatchObject({ code: "CONFLICT" });
		writeFileSync(join(disk(path), ".hidden"), "");
		expect((await apply({ kind: "rmdir", path })).problem).toMatchObject({
			key: "error.vault.folderNotEmpty",
		});
		rmSync(join(disk(path), ".hidden"));
		expect((await apply({ kind: "rmdir", path })).problem).toBeUndefined();
		expect(existsSync(disk(path))).toBe(false);
		expect((await apply({ kind: "mkdir", path })).problem).toBeUndefined();
	});

	test("nothing is written where a dot leads", async () => {
		for (const path of [".obsidian/x.json", "../x.md", "Sub/.x.md", "Sub//x.md"]) {
			expect((await create(path, "x")).problem?.code, path).toBe("VALIDATION_ERROR");
		}
		expect((await apply({ kind: "rename", path: "b.md", to: ".b.md" })).problem?.code).toBe(
			"VALIDATION_ERROR",
		);
	});
});

describe("links, panes and commands", () => {
	test("backlinks are at least all that link, a note that was changed a moment ago included", async () => {
		const paths = async () =>
			((await call("vault.backlinks", { path: "b.md" })).result as { paths: string[] }).paths;
		expect(await paths()).toEqual(expect.arrayContaining(["Sub/c.md", "a.md"]));
		const path = fresh();
		await create(path, "[[b]]");
		expect(await paths()).toContain(path);
	});

	test("what the person looks at is told, and a note is opened", async () => {
		expect((await call("workspace.open", { path: "b.md", newPane: false })).problem).toBeUndefined();
		expect((await call("workspace.context", {})).result).toMatchObject({
			activePath: "b.md",
			viewType: "markdown",
		});
		expect((await call("workspace.focus", { pane: "editor" })).problem).toBeUndefined();
		expect((await call("workspace.focus", { pane: "panel" })).problem?.code).toBe("PRECONDITION_FAILED");
	});

	test("a note in a window of its own is open too, and it is the one that the person works on", async () => {
		const path = fresh();
		await create(path, "apart\n");
		const { page } = host.playground;
		const opened = page.waitForEvent("popup");
		await page.evaluate(async (wanted) => {
			const file = window.app.vault.getFileByPath(wanted);
			if (file) await window.app.workspace.getLeaf("window").openFile(file);
			window.app.workspace.activeEditor?.editor?.setSelection({ line: 0, ch: 0 }, { line: 0, ch: 5 });
		}, path);
		const popout = await opened;
		const context = async () => (await call("workspace.context", {})).result as { openPaths: string[] };
		expect((await context()).openPaths).toContain(path);
		expect((await call("editor.state", {})).result).toMatchObject({ path, text: "apart" });
		await popout.close();
		await expect.poll(async () => (await context()).openPaths).not.toContain(path);
	});

	test("commands are listed and run; one that is not there says no", async () => {
		const { commands } = (await call("commands.list", {})).result as {
			commands: { id: string; name: string }[];
		};
		expect(commands.length).toBeGreaterThan(0);
		expect((await call("commands.run", { id: "no:such" })).result).toEqual({ ok: false });
		expect((await call("commands.run", { id: "toString" })).result).toEqual({ ok: false });
	});
});

test("community plugins are told with whether they are on", async () => {
	const { plugins } = (await call("plugins.installed", {})).result as {
		plugins: { id: string; enabled: boolean }[];
	};
	expect(plugins).toContainEqual({ id: "embedded-agent", enabled: true });
});

test("where no worker starts there is no sandbox", async () => {
	const script = { script: "def main(x): return 1", input: "null", now: "", maxSteps: 0, maxMs: 0, maxMb: 0 };
	expect((await call("sandbox.run", script)).problem).toMatchObject({
		code: "SANDBOX_ERROR",
		key: "tools.code.none",
	});
});

describe("the store", () => {
	beforeEach(() => call("store.remove", { path: "runs" }));
	const list = async (path: string) =>
		(
			(await call("store.list", { path })).result as { entries: { path: string; size: number }[] }
		).entries.map((e) => e.path);

	test("appends in order, makes folders, reads, lists and removes; the vault sees none of it", async () => {
		const appends = Array.from({ length: 10 }, (_, i) =>
			call("store.append", { path: "runs/1/j", blob: 0 }, [[48 + i]]),
		);
		expect((await Promise.all(appends)).filter((o) => o.problem)).toEqual([]);
		expect((await call("store.read", { path: "runs/1/j" })).bytes?.[0]).toEqual(
			[..."0123456789"].map((c) => c.charCodeAt(0)),
		);
		await call("store.write", { path: "runs/1/k", blob: 0 }, [[1]]);
		expect(await list("runs/1")).toEqual(["runs/1/j", "runs/1/k"]);
		expect(await list("runs/none")).toEqual([]);
		expect((await call("store.read", { path: "runs/none" })).problem).toMatchObject({ code: "NOT_FOUND" });
		expect((await call("store.remove", { path: "runs/none" })).problem).toBeUndefined();
		await call("store.remove", { path: "runs" });
		expect(await list("")).not.toContain("runs");
		expect((await call("store.append", { path: "runs/1/j", blob: 0 }, [[65]])).problem).toBeUndefined();
		expect((await call("store.read", { path: "runs/1/j" })).bytes?.[0]).toEqual([65]);
	});

	test("neither leads out of itself nor to the plugin's own files", async () => {
		expect(await list("")).not.toContain("main.js");
		for (const path of ["", "main.js", "data.json", "../x", "runs/../main.js", "/x"]) {
			expect((await call("store.remove", { path })).problem?.code, path).toBe("VALIDATION_ERROR");
			expect((await call("store.write", { path, blob: 0 }, [[1]])).problem?.code, path).toBe(
				"VALIDATION_ERROR",
			);
		}
	});
});

describe("the device", () => {
	test("has one key, kept on the device, and no header can name it", async () => {
		const first = (await call("device.key", {})).result as { key: string };
		expect(first.key).toMatch(/^[0-9a-f]{64}$/);
		expect((await call("device.key", {})).result).toEqual(first);
		const kept = await host.playground.page.evaluate(() =>
			(window as unknown as { app: { loadLocalStorage(key: string): unknown } }).app.loadLocalStorage(
				"embedded-agent-device-key",
			),
		);
		expect(kept).toBe(first.key);
		expect((await call("secret.has", { name: "embedded-agent-device-key" })).result).toMatchObject({
			has: false,
		});
	});

	test("says so where nothing is kept, and takes nothing that is no key", async () => {
		const set = (broken: boolean) =>
			host.playground.page.evaluate((broken) => {
				const app = (window as unknown as { app: { saveLocalStorage(key: string, value: unknown): void } })
					.app;
				app.saveLocalStorage("embedded-agent-device-key", broken ? "short" : null);
				if (broken) app.saveLocalStorage = () => {};
				else delete (app as { saveLocalStorage?: unknown }).saveLocalStorage;
			}, broken);
		await set(true);
		expect((await call("device.key", {})).problem?.key).toBe("error.device.storage");
		await set(false);
		expect(((await call("device.key", {})).result as { key: string }).key).toHaveLength(64);
	});
});

test("the page had no uncaught error", () => {
	expect(host.errors()).toEqual([]);
});
