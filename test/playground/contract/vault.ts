/** Files: names, collisions, hidden paths, atomic changes, events. */
import type { TAbstractFile } from "obsidian";
import { equal, make, ok, rejects, system, type ContractCase, type ContractHost } from "./host";

async function listen(host: ContractHost, work: () => Promise<unknown>): Promise<string[]> {
	const heard: string[] = [];
	const { vault } = host.app;
	const inside = (file: TAbstractFile): boolean => file.path.startsWith(host.folder);
	const short = (path: string): string => path.slice(host.folder.length + 1);
	const refs = [
		vault.on("create", (file) => inside(file) && heard.push(`create ${short(file.path)}`)),
		vault.on("modify", (file) => inside(file) && heard.push(`modify ${short(file.path)}`)),
		vault.on("delete", (file) => inside(file) && heard.push(`delete ${short(file.path)}`)),
		vault.on(
			"rename",
			(file, old) => inside(file) && heard.push(`rename ${short(old)} to ${short(file.path)}`),
		),
	];
	try {
		await work();
	} finally {
		for (const ref of refs) vault.offref(ref);
	}
	return heard;
}

export const vaultCases: ContractCase[] = [
	{
		behaviour: "create.collision",
		async run(host) {
			const file = await make(host, "a.md", "first");
			await rejects(make(host, "a.md", "second"), "File already exists.");
			equal(await host.app.vault.read(file), "first");
		},
	},
	{
		behaviour: "createBinary.collision",
		async run({ app, folder }) {
			await app.vault.createBinary(`${folder}/a.bin`, new Uint8Array([1, 2]).buffer);
			await rejects(app.vault.createBinary(`${folder}/a.bin`, new ArrayBuffer(0)), "File already exists.");
		},
	},
	{
		behaviour: "createFolder.collision",
		async run({ app, folder }) {
			await rejects(app.vault.createFolder(folder), "Folder already exists.");
		},
	},
	{
		behaviour: "createFolder.unindexed",
		async run({ app, folder }) {
			await app.vault.createFolder(`${folder}/.hidden`);
			equal(app.vault.getFolderByPath(`${folder}/.hidden`), null, "a hidden folder in the index");
			await rejects(app.vault.createFolder(`${folder}/.hidden`), "Folder already exists.");
		},
	},
	{
		behaviour: "createFolder.parents",
		async run({ app, folder }) {
			await app.vault.createFolder(`${folder}/a/b/c`);
			ok(app.vault.getFolderByPath(`${folder}/a/b`) !== null, "the folder between is in the index");
		},
	},
	{
		behaviour: "create.noParent",
		async run(host) {
			await rejects(make(host, "missing/a.md"), /ENOENT|does ?n[o']t exist/i);
		},
	},
	{
		behaviour: "rename.collision",
		async run(host) {
			const file = await make(host, "a.md", "a");
			const other = await make(host, "b.md", "b");
			await rejects(host.app.vault.rename(file, other.path), "Destination file already exists!");
			await rejects(host.app.fileManager.renameFile(file, other.path), "Destination file already exists!");
			await rejects(host.app.vault.adapter.rename(file.path, other.path), "Destination file already exists!");
			equal([await host.app.vault.read(file), await host.app.vault.read(other)], ["a", "b"]);
		},
	},
	{
		behaviour: "copy.collision",
		async run(host) {
			const file = await make(host, "a.md", "a");
			const copy = await host.app.vault.copy(file, `${host.folder}/b.md`);
			equal(await host.app.vault.read(copy), "a");
			await rejects(host.app.vault.copy(file, copy.path), "Destination file already exists!");
		},
	},
	{
		behaviour: "names.case",
		async run(host) {
			await make(host, "Time Entry.md", "first");
			const path = `${host.folder}/time entry.md`;
			equal(host.app.vault.getAbstractFileByPath(path), null, "the other spelling in the index");
			if (system(host).foldsCase) await rejects(host.app.vault.create(path, ""), "File already exists.");
			else equal((await host.app.vault.create(path, "")).path, path);
		},
	},
	{
		behaviour: "names.caseRename",
		async run(host) {
			const file = await make(host, "note.md", "text");
			await host.app.vault.rename(file, `${host.folder}/Note.md`);
			equal(file.name, "Note.md");
			equal((await host.app.vault.adapter.list(host.folder)).files, [`${host.folder}/Note.md`]);
		},
	},
	{
		behaviour: "names.illegal",
		async run(host) {
			const { illegal } = system(host);
			const message = `File name cannot contain any of the following characters: ${illegal}`;
			// A backslash becomes a slash before the check, and a slash is no part of a name.
			for (const character of illegal.split(" ").filter((one) => one !== "/" && one !== "\\")) {
				await rejects(make(host, `a${character}b.md`), message);
				await rejects(host.app.vault.createFolder(`${host.folder}/a${character}b`), message);
			}
			equal((await host.app.vault.adapter.list(host.folder)).files, []);
		},
	},
	{
		behaviour: "names.linkCharacters",
		async run(host) {
			if (host.obsidian.Platform.isAndroidApp) return;
			ok(
				(await make(host, "a#b^c [d].md")).path.endsWith("a#b^c [d].md"),
				"characters that break links are allowed",
			);
		},
	},
	{
		behaviour: "names.length",
		async run(host) {
			await rejects(make(host, `${"x".repeat(300)}.md`), /ENAMETOOLONG|too long/i);
		},
	},
	{
		behaviour: "normalizePath",
		async run({ obsidian }) {
			const table: [string, string][] = [
				["/a//b/", "a/b"],
				["", "/"],
				["/", "/"],
				["a\\b", "a/b"],
				["a\u00a0b", "a b"],
				["a\u202fb", "a b"],
				["e\u0301.md", "é.md"],
				["a:b?", "a:b?"],
				["./a", "./a"],
				["../a", "../a"],
			];
			for (const [from, to] of table)
				equal(obsidian.normalizePath(from), to, `normalizePath(${JSON.stringify(from)})`);
		},
	},
	{
		behaviour: "hidden.create",
		async run({ app, folder }) {
			const path = `${folder}/.hidden.md`;
			equal(await app.vault.create(path, "text"), null, "what create resolves to");
			equal(await app.vault.adapter.read(path), "text");
			equal(app.vault.getAbstractFileByPath(path), null);
			ok(!app.vault.getFiles().some((file) => file.path === path), "a hidden file is not listed");
			equal((await app.vault.adapter.list(folder)).files, [path], "what the adapter lists");
		},
	},
	{
		behaviour: "process.atomic",
		async run(host) {
			const file = await make(host, "log.md", "");
			const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
			await Promise.all(lines.map((line) => host.app.vault.process(file, (text) => text + line)));
			const found = (await host.app.vault.read(file)).split("\n").filter((line) => line !== "");
			equal(found.sort(), lines.map((line) => line.trimEnd()).sort());
		},
	},
	{
		behaviour: "process.throw",
		async run(host) {
			const file = await make(host, "a.md", "before");
			const attempt = host.app.vault.process(file, () => {
				throw new Error("no");
			});
			await rejects(attempt, "no");
			equal(await host.app.vault.read(file), "before");
			equal(
				await host.app.vault.process(file, (text) => `${text} after`),
				"before after",
				"what process resolves to",
			);
		},
	},
	{
		behaviour: "append",
		async run(host) {
			const file = await make(host, "a.md", "a");
			await Promise.all(["b", "c"].map((text) => host.app.vault.append(file, text)));
			await host.app.vault.adapter.append(file.path, "d");
			equal(await host.app.vault.read(file), "abcd");
			const fresh = `${host.folder}/.log`;
			await host.app.vault.adapter.appendBinary(fresh, new Uint8Array([65]).buffer);
			await host.app.vault.adapter.appendBinary(fresh, new Uint8Array([66]).buffer);
			equal(await host.app.vault.adapter.read(fresh), "AB", "a file that append made");
		},
	},
	{
		behaviour: "bytes",
		async run(host) {
			const text = "\ufeffline one\r\nline two\r\n";
			const file = await make(host, "crlf.md", text);
			equal(await host.app.vault.read(file), text);
			await host.app.vault.process(file, (before) => `${before}three`);
			equal(await host.app.vault.read(file), `${text}three`);
			const bytes = new Uint8Array(await host.app.vault.readBinary(file));
			equal([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
			equal(file.stat.size, bytes.length);
		},
	},
	{
		behaviour: "events.before",
		async run(host) {
			const heard = await listen(host, async () => {
				const file = await make(host, "a.md", "a");
				await host.app.vault.modify(file, "b");
				await host.app.vault.rename(file, `${host.folder}/b.md`);
				await host.app.vault.delete(file);
			});
			equal(heard, ["create a.md", "modify a.md", "rename a.md to b.md", "delete b.md"]);
		},
	},
	{
		behaviour: "events.folder",
		async run(host) {
			await host.app.vault.createFolder(`${host.folder}/old`);
			const file = await make(host, "old/a.md");
			const folder = host.app.vault.getFolderByPath(`${host.folder}/old`);
			ok(folder !== null, "the folder is in the index");
			if (!folder) return;
			const moved = await listen(host, () => host.app.vault.rename(folder, `${host.folder}/new`));
			equal(moved.sort(), ["rename old to new", "rename old/a.md to new/a.md"]);
			equal([file.path, file.parent?.path], [`${host.folder}/new/a.md`, `${host.folder}/new`]);
			const gone = await listen(host, () => host.app.vault.delete(folder, true));
			equal(gone.sort(), ["delete new", "delete new/a.md"]);
			equal(host.app.vault.getAbstractFileByPath(file.path), null);
		},
	},
	{
		behaviour: "delete.notEmpty",
		async run(host) {
			await host.app.vault.createFolder(`${host.folder}/full`);
			await make(host, "full/a.md");
			await rejects(host.app.vault.adapter.rmdir(`${host.folder}/full`, false), /ENOTEMPTY|not empty/i);
			equal(await host.app.vault.adapter.exists(`${host.folder}/full/a.md`), true);
		},
	},
	{
		behaviour: "adapter.stat",
		async run(host) {
			const { adapter } = host.app.vault;
			equal(await adapter.stat(`${host.folder}/nothing`), null);
			await make(host, "a.md", "four");
			const stat = await adapter.stat(`${host.folder}/a.md`);
			equal([stat?.type, stat?.size, (stat?.mtime ?? 0) > 1e12], ["file", 4, true]);
			equal((await adapter.stat(host.folder))?.type, "folder");
			await rejects(adapter.read(`${host.folder}/nothing`), /ENOENT|does ?n[o']t exist/i);
		},
	},
	{
		behaviour: "write.mtime",
		async run(host) {
			const mtime = Date.UTC(2020, 1, 2, 3, 4, 5);
			const file = await host.app.vault.create(`${host.folder}/a.md`, "a", { mtime });
			equal(file.stat.mtime, mtime);
		},
	},
];
