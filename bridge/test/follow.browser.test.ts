// The host tells a core that keeps a list of the vault's files.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openNote, startPlayground, type Playground } from "../../test/e2e/harness";
import type { Changed, Contents, Metadata } from "../protocol.gen";
import { buildHostPlugin } from "./host-build";
import type { Outcome } from "./host-plugin";

const SETTINGS = {
	"core-plugins.json": '{"daily-notes":true}',
	"daily-notes.json": '{"folder":"Daily"}',
	"templates.json": '{"folder":"Templates"}',
};
const MANY = 1500; // more than a page of a listing

let playground: Playground;
let folder: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "follow-"));
	await buildHostPlugin(join(folder, "plugin"));
	mkdirSync(join(folder, "vault", "Many"), { recursive: true });
	mkdirSync(join(folder, "vault", ".obsidian"));
	for (const [name, text] of Object.entries(SETTINGS))
		writeFileSync(join(folder, "vault", ".obsidian", name), text);
	writeFileSync(join(folder, "vault", ".obsidian", "app.json"), "{}");
	writeFileSync(
		join(folder, "vault", "a.md"),
		"---\ntags: [x]\nrating: 3\n---\n# Heading\n[[b#Part|shown]] ![[pic.png]] #in/side\n- [ ] one\n- [x] two\n",
	);
	writeFileSync(join(folder, "vault", "b.md"), "B\n");
	for (let i = 0; i < MANY; i++) writeFileSync(join(folder, "vault", "Many", `${i}.md`), `${i}`);
	playground = await startPlayground({ vault: join(folder, "vault"), plugin: join(folder, "plugin") });
});
afterAll(async () => {
	await playground.close();
	rmSync(folder, { recursive: true, force: true });
});

const call = (method: string, params: unknown): Promise<Outcome> =>
	playground.page.evaluate(
		([m, p]) =>
			(window as unknown as { hostCall: (...args: unknown[]) => Promise<Outcome> }).hostCall(m, p, [], 0),
		[method, params] as const,
	);
const since = async (generation: number, page = 0) =>
	(await call("vault.since", { generation, page })).result as Changed;
const create = (path: string, text: string) =>
	call("vault.apply", { kind: "create", path, data: { text, blob: -1 } });
const now = async () => (await since(0)).generation;
const paths = (list: { path: string }[]) => list.map(({ path }) => path).sort();

test("a first question is told every entry, over pages, hidden ones apart", async () => {
	const found: string[] = [];
	let answer = await since(0);
	const { generation } = answer;
	expect(generation).toBeGreaterThan(0);
	for (;;) {
		expect(answer.all).toBe(true);
		expect(answer.changed.length).toBeLessThanOrEqual(1000);
		found.push(...paths(answer.changed));
		if (answer.page === 0) break;
		answer = await since(0, answer.page);
	}
	expect(found.length).toBe(new Set(found).size);
	expect(found).toEqual(expect.arrayContaining(["a.md", "b.md", "Many", "Many/0.md", `Many/${MANY - 1}.md`]));
	expect(found.filter((path) => path.includes(".obsidian"))).toEqual([]);
	expect((await since(generation)).changed).toEqual([]);
	expect((await call("vault.since", { generation: 0, page: 12345 })).problem?.code).toBe("CONFLICT");
});

test("what is made, changed, moved and deleted since then is told, our own writes and others'", async () => {
	const before = await now();
	await create("new.md", "new");
	await create("old.md", "old");
	await call("vault.apply", { kind: "rename", path: "old.md", to: "moved.md" });
	writeFileSync(join(playground.vaultDir, "b.md"), "changed by another program");
	rmSync(join(playground.vaultDir, "Many", "7.md"));
	await expect
		.poll(async () => {
			const { changed, removed } = await since(before);
			return changed.some(({ path }) => path === "b.md") && removed.includes("Many/7.md");
		})
		.toBe(true);
	const { all, changed, removed } = await since(before);
	expect(all).toBe(false);
	expect(paths(changed)).toEqual(["b.md", "moved.md", "new.md"]);
	expect(removed.sort()).toEqual(["Many/7.md", "old.md"]);
});

test("who has missed the move of a folder is told everything", async () => {
	const before = await now();
	await call("vault.apply", { kind: "mkdir", path: "F" });
	expect((await since(before)).all).toBe(false);
	await create("F/a.md", "x");
	await call("vault.apply", { kind: "rename", path: "F", to: "G" });
	expect((await since(before)).all).toBe(true);
});

test("a note that an editor holds is told as open, and its text as not saved", async () => {
	await create("open.md", "saved\n");
	expect((await since(await now())).open).not.toContain("open.md");
	await openNote(playground.page, "open.md");
	await playground.page.keyboard.press("Control+End");
	await playground.page.keyboard.type("typed");
	expect((await since(await now())).open).toContain("open.md");
	const { result, bytes } = await call("vault.reads", { paths: ["a.md", "none.md", "open.md"] });
	const { sizes, unsaved, blob } = result as Contents;
	expect(unsaved).toEqual([2]);
	expect(sizes[1]).toBe(-1);
	const all = Buffer.from(bytes?.[blob] ?? []).toString();
	expect(all).toBe(`${readFileSync(join(playground.vaultDir, "a.md"), "utf8")}saved\ntyped`);
});

test("metadata is what the app's cache knows; a note that changed a moment ago is stale", async () => {
	const of = async (path: string) =>
		((await call("vault.metadata", { paths: [path] })).result as Metadata).files[0];
	expect(await of("a.md")).toMatchObject({
		path: "a.md",
		tags: ["#in/side"],
		links: ["b", "pic.png"],
		tasks: 2,
	});
	expect(JSON.parse((await of("a.md"))?.properties ?? "")).toMatchObject({ tags: ["x"], rating: 3 });
	expect(await of("none.md")).toMatchObject({ stale: true });
	const stale = await playground.page.evaluate(async () => {
		const host = (window as unknown as { hostCall: (m: string, p: unknown) => Promise<Outcome> }).hostCall;
		const before = { text: "0", blob: -1 };
		const data = { text: "#changed", blob: -1 };
		await host("vault.apply", { kind: "modify", path: "Many/0.md", before, data });
		return ((await host("vault.metadata", { paths: ["Many/0.md"] })).result as Metadata).files[0];
	});
	expect(stale).toMatchObject({ stale: true });
	await expect.poll(async () => (await of("Many/0.md"))?.stale ?? false).toBe(false);
	expect(await of("Many/0.md")).toMatchObject({ tags: ["#changed"] });
});

test("of the hidden files, the settings of daily notes and templates and which are on can be read, and no other", async () => {
	for (const [name, text] of Object.entries(SETTINGS)) {
		const { bytes } = await call("vault.read", { path: `.obsidian/${name}` });
		expect(Buffer.from(bytes?.[0] ?? []).toString()).toBe(text);
	}
	for (const path of [
		".obsidian/app.json",
		".obsidian/community-plugins.json",
		".obsidian/plugins/x/data.json",
		".obsidian/plugins/daily-notes.json",
		".obsidian//daily-notes.json",
		".obsidian/../.obsidian/daily-notes.json",
		".obsidian/../a.md",
		".other/daily-notes.json",
	]) {
		expect((await call("vault.read", { path })).problem?.code, path).toBe("VALIDATION_ERROR");
	}
	const there = await playground.page.evaluate(() =>
		(window as unknown as { hostCall: (m: string, p: unknown) => Promise<Outcome> }).hostCall("vault.apply", {
			kind: "modify",
			path: ".obsidian/daily-notes.json",
			before: { text: '{"folder":"Daily"}', blob: -1 },
			data: { text: "x", blob: -1 },
		}),
	);
	expect(there.problem?.code).toBe("VALIDATION_ERROR");
});
