import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openNote, startPlayground, type Playground } from "../../test/e2e/harness";
import { buildHostPlugin } from "./host-build";
import type { Outcome } from "./host-plugin";

let playground: Playground;
let folder: string;
let server: Server;
let address: string;
/** What came in the header x-key, of all requests that were made. */
const keysSeen: string[] = [];
/** The answers that the page has ended. */
const gone: string[] = [];

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "host-"));
	await buildHostPlugin(join(folder, "plugin"));
	mkdirSync(join(folder, "vault", "Sub"), { recursive: true });
	writeFileSync(join(folder, "vault", "a.md"), "# A\n\nSee [[b]] and [[nowhere]].\n");
	writeFileSync(join(folder, "vault", "b.md"), "B\n");
	writeFileSync(join(folder, "vault", "Sub", "c.md"), "link to [[Sub/c]] and [[b]]\n");
	playground = await startPlayground({ vault: join(folder, "vault"), plugin: join(folder, "plugin") });
	server = createServer((request, response) => {
		if (request.headers["x-key"] !== undefined) keysSeen.push(String(request.headers["x-key"]));
		response.setHeader("access-control-allow-origin", "*");
		response.setHeader("access-control-allow-headers", "*");
		if (request.url === "/refused" && request.method !== "OPTIONS")
			return response.writeHead(401).end(`the key ${String(request.headers["x-key"])} is wrong`);
		if (request.url === "/refused-endlessly" && request.method !== "OPTIONS")
			return response.writeHead(403).write("no");
		if (request.url === "/echo" && request.method !== "OPTIONS") {
			const key = String(request.headers["x-key"]);
			response.setHeader("access-control-expose-headers", "*");
			response.setHeader("etag", `"${key}"`);
			const coded = Buffer.from(key).toString("base64");
			response.write(`${key} ${key.slice(0, 10)}`); // "Bearer s3c"
			return setTimeout(() => response.end(`${key.slice(10)} ${encodeURIComponent(key)} ${coded}`), 20);
		}
		if (request.url === "/moved" && request.method !== "OPTIONS")
			return response.writeHead(302, { location: "/" }).end();
		if (request.url === "/endless") return response.writeHead(200).write("first");
		if (request.url === "/bomb") {
			response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
			response.on("close", () => gone.push("/bomb"));
			const zeros = Buffer.alloc(1 << 20);
			const endless = new Readable({ read: () => void endless.push(zeros) });
			return void endless.pipe(createGzip()).pipe(response);
		}
		if (request.url === "/cookie") {
			response.setHeader("set-cookie", "who=person; SameSite=None; Secure");
			return response.end(`cookie: ${request.headers.cookie ?? "none"}`);
		}
		if (request.url === "/cut") {
			response.writeHead(200, { "content-length": "100" });
			response.write("half");
			return setTimeout(() => response.destroy(), 20);
		}
		response.end(JSON.stringify({ key: request.headers["x-key"] ?? null, method: request.method }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
	server.closeAllConnections();
	server.close();
	await playground.close();
	rmSync(folder, { recursive: true, force: true });
});

const call = (method: string, params: unknown, blobs: number[][] = [], abort = 0): Promise<Outcome> =>
	playground.page.evaluate(
		([m, p, b, a]) =>
			(window as unknown as { hostCall: (...args: unknown[]) => Promise<Outcome> }).hostCall(m, p, b, a),
		[method, params, blobs, abort] as const,
	);
const disk = (path: string) => join(playground.vaultDir, path);
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
		await openNote(playground.page, path);
		await playground.page.keyboard.press("Control+End");
		await playground.page.keyboard.type("typed");
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
			await openNote(playground.page, path);
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
		await openNote(playground.page, path);
		const caret = { from: { line: 1, ch: 3 }, to: { line: 1, ch: 3 } };
		expect((await modify(path, "first\nsecond\n", "first\n2nd\n", { caret })).problem).toBeUndefined();
		expect(onDisk(path)).toBe("first\n2nd\n");
		expect((await call("editor.state", {})).result).toMatchObject({ path, selection: caret, text: "" });
		await playground.page.locator(".cm-content").first().focus();
		await playground.page.keyboard.press("Control+z");
		expect((await call("vault.read", { path })).result).toMatchObject({ text: "first\nsecond\n" });
	});

	test("unsaved text is the baseline of an open note, and is never lost", async () => {
		const path = fresh();
		await create(path, "saved\n");
		await openNote(playground.page, path);
		await playground.page.keyboard.press("Control+End");
		await playground.page.keyboard.type("typed");
		expect((await modify(path, "saved\n", "agent\n")).problem).toMatchObject({ code: "CONFLICT" });
		expect((await modify(path, "saved\ntyped", "saved\ntyped\nagent")).problem).toBeUndefined();
		expect(onDisk(path)).toBe("saved\ntyped\nagent");
	});

	test("an open note whose saving fails is as it was, in its editor and on the disk, and the write counts as not made", async () => {
		const path = fresh();
		await create(path, "first\nsecond\n");
		await openNote(playground.page, path);
		const { faults } = playground;
		faults.set({ fail: [{ op: "write", path, code: "EIO", nth: 1 }] });
		try {
			expect((await modify(path, "first\nsecond\n", "first\nRUN\n")).problem).toBeDefined();
		} finally {
			faults.clear();
		}
		const shown = () => playground.page.locator(".cm-content").first().innerText();
		expect(await shown()).not.toContain("RUN");
		// What the person types next is saved; nothing of the write goes along.
		await playground.page.locator(".cm-content").first().focus();
		await playground.page.keyboard.press("Control+End");
		await playground.page.keyboard.type("typed");
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
		const kept = await playground.page.evaluate(() =>
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
			playground.page.evaluate((broken) => {
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

const setSecret = (name: string, value: string) =>
	playground.page.evaluate(
		([name, value]) =>
			(
				window as unknown as { app: { secretStorage: { setSecret(id: string, v: string): void } } }
			).app.secretStorage.setSecret(name, value),
		[name, value] as const,
	);

describe("the network", () => {
	const open = (path: string, more = {}, abort = 0) =>
		call(
			"http.open",
			{ method: "GET", url: address + path, headers: {}, body: "", buffered: false, redact: false, ...more },
			[],
			abort,
		);

	test("streams by fetch and by the buffered client, with secrets in headers alone", async () => {
		await playground.page.evaluate(() =>
			(
				window as unknown as { app: { secretStorage: { setSecret(id: string, v: string): void } } }
			).app.secretStorage.setSecret("k", "s3cret"),
		);
		expect((await call("secret.has", { name: "k" })).result).toEqual({ has: true, hosts: [], redirects: [] });
		expect((await call("secret.has", { name: "none" })).result).toMatchObject({ has: false });
		await call("secret.allow", { name: "k", host: address, redirects: true });
		expect((await call("secret.has", { name: "k" })).result).toEqual({
			has: true,
			hosts: [address],
			redirects: [address],
		});
		for (const buffered of [false, true]) {
			const { handle, status } = (await open("/", { headers: { "x-key": "Bearer {{secret:k}}" }, buffered }))
				.result as {
				handle: number;
				status: number;
			};
			expect(status).toBe(200);
			const { bytes } = await call("http.read", { handle });
			expect(JSON.parse(Buffer.from(bytes?.[0] ?? []).toString())).toEqual({
				key: "Bearer s3cret",
				method: "GET",
			});
			expect((await call("http.read", { handle })).result).toEqual({ blob: -1, done: true });
			expect((await call("http.read", { handle })).problem?.code).toBe("NETWORK_ERROR");
		}
	});

	test("a refusal that repeats the key comes without it", async () => {
		for (const buffered of [false, true]) {
			const asked = await open("/refused", { headers: { "x-key": "Bearer {{secret:k}}" }, buffered });
			const { handle, status } = asked.result as { handle: number; status: number };
			expect(status).toBe(401);
			const { bytes } = await call("http.read", { handle });
			expect(Buffer.from(bytes?.[0] ?? []).toString()).toBe("the key Bearer [redacted] is wrong");
		}
	});

	test("an answer that repeats a secret comes without it where the core asks for that", async () => {
		for (const buffered of [false, true]) {
			const headers = { "x-key": "Bearer {{secret:k}}" };
			const asked = await open("/echo", { headers, buffered, redact: true });
			const { handle, headers: sent } = asked.result as { handle: number; headers: Record<string, string> };
			expect(sent["etag"]).toBe('"Bearer [redacted]"');
			let text = "";
			for (;;) {
				const { bytes, result } = await call("http.read", { handle });
				if ((result as { done: boolean }).done) break;
				text += Buffer.from(bytes?.[0] ?? []).toString();
			}
			expect(text).toMatch(
				/^Bearer \[redacted\] Bearer \[redacted\] Bearer%20\[redacted\] \S*\[redacted\]A==$/,
			);
			expect(
				Buffer.from((text.split(" ").at(-1) ?? "").replace("[redacted]", ""), "base64").toString(),
			).not.toContain("3");
		}
	});

	test("a key that is no ordinary word is taken out of every answer, in whatever pieces it comes", async () => {
		await setSecret("long", "long-key-0123456789");
		await call("secret.allow", { name: "long", host: address, redirects: true });
		for (const buffered of [false, true]) {
			const asked = await open("/echo", { headers: { "x-key": "{{secret:long}}" }, buffered });
			const { handle, status, headers } = asked.result as {
				handle: number;
				status: number;
				headers: Record<string, string>;
			};
			expect(status).toBe(200);
			expect(JSON.stringify(headers)).not.toContain("long-key");
			let text = "";
			for (;;) {
				const { bytes, result } = await call("http.read", { handle });
				if ((result as { done: boolean }).done) break;
				text += Buffer.from(bytes?.[0] ?? []).toString();
			}
			expect(text).toContain("[redacted]");
			expect(text).not.toContain("long-key");
			expect(Buffer.from(text.split(" ").at(-1) ?? "", "base64").toString()).not.toContain("0123456789");
		}
	});

	describe("a key leaves for where the person said, and for nowhere else", () => {
		const other = () => address.replace("127.0.0.1", "localhost");
		const cases: {
			name: string;
			allow: () => { host: string; redirects: boolean }[];
			url: () => string;
			buffered?: boolean;
			secret?: string;
			sends: string | true;
		}[] = [
			{ name: "nothing was allowed", allow: () => [], url: () => address, sends: "error.secret.host" },
			{
				name: "it was allowed",
				allow: () => [{ host: address, redirects: false }],
				url: () => address,
				sends: true,
			},
			{
				name: "another name of the same machine",
				allow: () => [{ host: address, redirects: true }],
				url: other,
				sends: "error.secret.host",
			},
			{
				name: "another port",
				allow: () => [{ host: address.replace(/:\d+$/, ":1"), redirects: true }],
				url: () => address,
				sends: "error.secret.host",
			},
			{
				name: "without encryption where it was allowed with it",
				allow: () => [{ host: address.replace("http:", "https:"), redirects: true }],
				url: () => address,
				sends: "error.secret.host",
			},
			{
				name: "an address that names a person before the host",
				allow: () => [{ host: address, redirects: true }],
				url: () => address.replace("//", "//me@"),
				sends: "error.secret.host",
			},
			{
				name: "by the app's own client",
				allow: () => [{ host: address, redirects: false }],
				url: () => address,
				buffered: true,
				sends: "error.secret.redirects",
			},
			{
				name: "by the app's own client, which was allowed",
				allow: () => [{ host: address, redirects: true }],
				url: () => address,
				buffered: true,
				sends: true,
			},
			{
				name: "a later yes to less takes nothing back",
				allow: () => [
					{ host: address, redirects: true },
					{ host: address, redirects: false },
				],
				url: () => address,
				buffered: true,
				sends: true,
			},
			{
				name: "what is no origin is not kept",
				allow: () => [{ host: `${address}/path`, redirects: true }],
				url: () => address,
				sends: "error.secret.host",
			},
			{
				name: "a yes to another key",
				allow: () => [{ host: address, redirects: true }],
				url: () => address,
				secret: "k-other",
				sends: "error.secret.host",
			},
		];
		let n = 0;
		test.each(cases)("$name", async ({ allow, url, buffered = false, secret, sends }) => {
			const name = `bound-${++n}`;
			await setSecret(name, "bound-key-0123456789");
			await setSecret("k-other", "other-key-0123456789");
			for (const yes of allow()) await call("secret.allow", { name, ...yes });
			const before = keysSeen.length;
			const asked = await call("http.open", {
				method: "GET",
				url: `${url()}/`,
				headers: { "x-key": `Bearer {{secret:${secret ?? name}}}` },
				body: "",
				buffered,
				redact: false,
			});
			if (sends === true) expect(asked.problem).toBeUndefined();
			else expect(asked.problem).toMatchObject({ code: "AUTH_REQUIRED", key: sends });
			expect(keysSeen.slice(before)).toEqual(sends === true ? ["Bearer bound-key-0123456789"] : []);
		});

		test("a redirect is not followed, so that a key reaches nobody else", async () => {
			await setSecret("moving", "moving-key-0123456789");
			await call("secret.allow", { name: "moving", host: address, redirects: false });
			const before = keysSeen.length;
			const asked = await open("/moved", { headers: { "x-key": "{{secret:moving}}" } });
			expect(asked.problem).toMatchObject({ key: "error.http.redirect" });
			expect(keysSeen.slice(before).filter((key) => key.includes("moving"))).toHaveLength(1);
		});

		test("what was kept and is damaged allows nothing", async () => {
			for (const kept of ["x", 1, [], { "bound-x": "yes" }, { "bound-x": [1] }]) {
				await setSecret("bound-x", "bound-key-0123456789");
				await playground.page.evaluate(
					(kept) =>
						(
							window as unknown as { app: { saveLocalStorage(key: string, v: unknown): void } }
						).app.saveLocalStorage("embedded-agent-key-hosts", kept),
					kept,
				);
				const asked = await open("/", { headers: { "x-key": "{{secret:bound-x}}" } });
				expect(asked.problem).toMatchObject({ key: "error.secret.host" });
			}
			for (const name of ["k", "long"]) await call("secret.allow", { name, host: address, redirects: true });
		});
	});

	test("a print of a key says nothing of ordinary words, and finds the key", async () => {
		for (const [value, length] of [
			["ollama", 0],
			["sesame", 0],
			["own-key-0123456789", 18],
		] as const) {
			await setSecret("printed", value);
			const { result } = await call("secret.print", { name: "printed" });
			const print = result as { length: number; bases: number[]; hashes: number[] };
			expect(print.length).toBe(length);
			if (length === 0) continue;
			const hashes = print.bases.map((base) =>
				Number(
					[...value].reduce((h, c) => (h * BigInt(base) + BigInt(c.charCodeAt(0)) + 1n) % 2147483647n, 0n),
				),
			);
			expect(print.hashes).toEqual(hashes);
		}
	});

	test("a refusal is read as any answer, and need not end", async () => {
		const asked = await open("/refused-endlessly", { headers: { "x-key": "{{secret:k}}" } });
		const { handle, status } = asked.result as { handle: number; status: number };
		expect(status).toBe(403);
		expect(Buffer.from((await call("http.read", { handle })).bytes?.[0] ?? []).toString()).toBe("no");
		await call("http.close", { handle });
	});

	test("a missing secret, a redirect, an unreachable host and a broken stream are told apart", async () => {
		expect((await open("/", { headers: { a: "{{secret:none}}" } })).problem).toMatchObject({
			code: "AUTH_REQUIRED",
		});
		expect((await open("/moved")).problem).toMatchObject({ key: "error.http.redirect" });
		expect(
			(
				await call("http.open", {
					method: "GET",
					url: "http://127.0.0.1:9/",
					headers: {},
					body: "",
					buffered: false,
				})
			).problem,
		).toMatchObject({
			code: "NETWORK_ERROR",
			key: "error.http.unreachable",
		});
		const { handle } = (await open("/cut")).result as { handle: number };
		let last = await call("http.read", { handle });
		while (!last.problem) last = await call("http.read", { handle });
		expect(last.problem).toMatchObject({ code: "NETWORK_ERROR", key: "error.http.broken" });
	});

	test("a cancelled read and a closed answer end at once", async () => {
		const { handle } = (await open("/endless")).result as { handle: number };
		await call("http.read", { handle });
		expect((await call("http.read", { handle }, [], 50)).problem).toMatchObject({ code: "CANCELLED" });
		await call("http.close", { handle });
		expect((await call("http.read", { handle })).problem).toMatchObject({ key: "error.http.closed" });
	});

	test("an answer that inflates without end comes piece by piece, and ends when it is closed", async () => {
		const { handle } = (await open("/bomb")).result as { handle: number };
		let bytes = 0;
		while (bytes < 1 << 17) {
			const { bytes: blobs, problem } = await call("http.read", { handle });
			expect(problem).toBeUndefined();
			bytes += blobs?.[0]?.length ?? 0;
			expect(blobs?.[0]?.length).toBeLessThan(8 << 20);
		}
		await call("http.close", { handle });
		await expect.poll(() => gone, { timeout: 20_000 }).toContain("/bomb");
	});

	test("no cookie is kept or sent", async () => {
		for (let i = 0; i < 2; i++) {
			const { handle } = (await open("/cookie")).result as { handle: number };
			const { bytes } = await call("http.read", { handle });
			expect(Buffer.from(bytes?.[0] ?? []).toString()).toBe("cookie: none");
		}
	});
});

test("the page had no uncaught error", () => {
	expect(playground.errors.filter((e) => !/Failed to load resource|ERR_|CORS/.test(e))).toEqual([]);
});
