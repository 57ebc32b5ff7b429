import { TFile, TFolder, type App, type TAbstractFile } from "obsidian";
import type { Answer, Host, HostCall } from "../client";
import { fail, ProblemError } from "../problem";
import {
	CorePluginsFile,
	DailyNotesFile,
	TemplatesFile,
	type Content,
	type Contents,
	type Info,
	type Op,
} from "../protocol.gen";
import { PathQueue } from "./path-queue";
import { dirtyView, editorKeeps, settle, viewsOf, writeThroughEditor } from "./open-notes";
import { byPath, entryAt, fileAt, find, folderAt, GONE, guard, infoOf, translate, type Hears } from "./paths";
import { applyAll } from "./apply-all";
import { inTurn, waitUntil } from "./turns";
import { BOM, decode, joined, sameBytes, toBytes, unpack } from "./text";

/** How many writes are handed to the app at once: what is handed over cannot be taken back. */
const WIDTH = 8;

type VaultMethods =
	| "vault.stat"
	| "vault.read"
	| "vault.reads"
	| "vault.list"
	| "vault.walk"
	| "vault.apply"
	| "vault.applyAll";

/** The notes. */
export function vaultHost(app: App, hear: readonly Hears[]): Pick<Host, VaultMethods> {
	const queue = new PathQueue(WIDTH);
	const applyOne: Host["vault.apply"] = (op, call) => {
		guard(op.path);
		const work = () => {
			const folder = find(app.vault, op.path) instanceof TFolder;
			for (const path of [op.path, op.to]) if (path) hear.forEach((hears) => hears(path, folder));
			return apply(app, op, call).catch(rethrow(op.path));
		};
		const ofOnePath = op.kind === "create" || op.data !== undefined || op.before !== undefined;
		return ofOnePath ? queue.run(op.path, call.signal, work) : queue.alone(call.signal, work);
	};
	const settings = [CorePluginsFile, DailyNotesFile, TemplatesFile].map(
		(name) => `${app.vault.configDir}/${name}`,
	);
	return {
		"vault.stat": async ({ path }) => infoOf(entryAt(app.vault, path)),
		"vault.read": ({ path }) => (settings.includes(path) ? readHidden(app, path) : read(app, path)),
		"vault.reads": ({ paths }) => readMany(app, paths),
		"vault.list": async ({ path }) => entries(folderAt(app.vault, path).children),
		"vault.walk": async ({ path }) => entries(below(folderAt(app.vault, path))),
		"vault.apply": applyOne,
		"vault.applyAll": applyAll(applyOne),
	};
}

function entries(all: TAbstractFile[]): { entries: Info[] } {
	return { entries: all.map(infoOf).sort(byPath) };
}

function below(folder: TFolder): TAbstractFile[] {
	const all: TAbstractFile[] = [];
	const open: TFolder[] = [folder];
	for (let next = open.pop(); next; next = open.pop()) {
		for (const child of next.children) {
			all.push(child);
			if (child instanceof TFolder) open.push(child);
		}
	}
	return all;
}

/** A file's bytes; of a note with unsaved text, that text. Bytes are not decoded here: the core takes them as they are. */
async function read(app: App, path: string): Promise<Answer<Content>> {
	const disk = await readDisk(app, fileAt(app.vault, path));
	const dirty = dirtyView(viewsOf(app, path), disk);
	if (dirty) return { text: dirty.getViewData(), blob: -1 };
	return (blob) => ({ text: "", blob: blob(new Uint8Array(disk)) });
}

/** Several files' bytes, end to end. */
async function readMany(app: App, paths: string[]): Promise<Answer<Contents>> {
	const unsaved: number[] = [];
	const parts = await Promise.all(
		paths.map(async (path, i) => {
			try {
				const disk = await inTurn(() => readDisk(app, fileAt(app.vault, path)));
				const dirty = dirtyView(viewsOf(app, path), disk);
				if (!dirty) return new Uint8Array(disk);
				unsaved.push(i);
				return toBytes(dirty.getViewData());
			} catch (error) {
				if (error instanceof ProblemError) return undefined; // the core asks for it alone, and is told
				throw error;
			}
		}),
	);
	const bytes = joined(parts.filter((part) => part !== undefined));
	return (blob) => ({ sizes: parts.map((part) => part?.length ?? -1), unsaved, blob: blob(bytes) });
}

/** A file of the app's own settings that tools read; every other hidden file is closed to them. */
async function readHidden(app: App, path: string): Promise<Answer<Content>> {
	const bytes = await app.vault.adapter.readBinary(path).catch(rethrow(path));
	return (blob) => ({ text: "", blob: blob(new Uint8Array(bytes)) });
}

function readDisk(app: App, file: TFile): Promise<ArrayBuffer> {
	return app.vault.readBinary(file).catch(rethrow(file.path));
}

async function apply(app: App, op: Op, { blobs }: HostCall): Promise<Info> {
	const content = (c: Content | undefined) => unpack(c ?? { text: "", blob: -1 }, blobs);
	switch (op.kind) {
		case "create":
			return create(app, op.path, content(op.data));
		case "modify":
			return modify(app, op, content(op.before), content(op.data));
		case "rename":
			return rename(app, op.path, guard(op.to ?? ""));
		case "trash":
			await unchanged(app, op.path, op.before && content(op.before));
			await app.fileManager.trashFile(entryAt(app.vault, op.path));
			return GONE;
		case "remove":
			await unchanged(app, op.path, content(op.before));
			await app.vault.adapter.remove(op.path);
			await gone(app, op.path);
			return GONE;
		case "mkdir":
			free(app, op.path);
			return infoOf(await app.vault.createFolder(op.path).catch(rethrow(op.path, "error.vault.noFolder")));
		case "rmdir":
			return rmdir(app, op.path);
	}
	throw fail("VALIDATION_ERROR", "error.internal", undefined, `vault.apply ${op.kind}`);
}

/** Throws an error of the app on, with the code and the words that people get. */
function rethrow(path: string, missing?: string): (error: unknown) => never {
	return (error) => {
		throw translate(error, path, missing);
	};
}

/** Refuses a path where something is. */
function free(app: App, path: string): void {
	if (find(app.vault, path)) throw fail("CONFLICT", "error.vault.exists", { path });
}

async function create(app: App, path: string, data: string | Uint8Array): Promise<Info> {
	free(app, path);
	const { vault } = app;
	const made =
		typeof data === "string" && !data.startsWith(BOM)
			? vault.create(path, data)
			: vault.createBinary(path, toBytes(data).buffer);
	return infoOf(await made.catch(rethrow(path, "error.vault.noFolder")));
}

const changed = (path: string) => fail("CONFLICT", "error.vault.changed", { path });

async function modify(
	app: App,
	op: Op,
	before: string | Uint8Array,
	data: string | Uint8Array,
): Promise<Info> {
	const file = fileAt(app.vault, op.path);
	const asBytes = typeof before !== "string" || typeof data !== "string";
	if (asBytes || before.startsWith(BOM) || data.startsWith(BOM))
		return modifyBytes(app, file, toBytes(before), toBytes(data));
	const views = viewsOf(app, op.path);
	if (views.length > 0) {
		const disk = await app.vault.readBinary(file);
		const dirty = dirtyView(views, disk);
		const view = dirty ?? views.find((v) => v.getMode() === "source");
		if (
			view?.getMode() === "source" &&
			view.getViewData() === before &&
			editorKeeps(disk) &&
			!data.includes("\r")
		) {
			await writeThroughEditor(app, view, file, data, op.caret);
			return infoOf(file);
		}
		if (dirty) throw changed(op.path);
	}
	let found = before;
	await app.vault.process(file, (current) => {
		if ((found = current) !== before) throw changed(op.path);
		return data;
	});
	if (found !== before) throw changed(op.path); // nobody promises that the app throws on what is thrown in there
	await settle(views, data);
	return infoOf(file);
}

/** For what the app cannot process as text: compare, then write. Nothing else of ours writes the path meanwhile. */
async function modifyBytes(
	app: App,
	file: TFile,
	before: Uint8Array,
	data: Uint8Array<ArrayBuffer>,
): Promise<Info> {
	await sameOnDisk(app, file, before);
	await app.vault.modifyBinary(file, data.buffer);
	const text = decode(data);
	if (text !== null) await settle(viewsOf(app, file.path), text);
	return infoOf(file);
}

async function sameOnDisk(app: App, file: TFile, before: Uint8Array): Promise<void> {
	const disk = await readDisk(app, file);
	if (dirtyView(viewsOf(app, file.path), disk) || !sameBytes(disk, before)) throw changed(file.path);
}

async function rename(app: App, path: string, to: string): Promise<Info> {
	const entry = entryAt(app.vault, path);
	const there = find(app.vault, to);
	if (there && there !== entry) throw fail("CONFLICT", "error.vault.exists", { path: to });
	// Not fileManager.renameFile: it would change links in notes that nobody was shown.
	await app.vault.rename(entry, to).catch(rethrow(to, "error.vault.noFolder"));
	return infoOf(entryAt(app.vault, to));
}

/** Refuses what is not, to the byte, as it was seen: a file with those bytes, or a folder where there are none. */
async function unchanged(app: App, path: string, before: string | Uint8Array | undefined): Promise<void> {
	const entry = entryAt(app.vault, path);
	if (!(entry instanceof TFile)) {
		if (before !== undefined) throw fail("CONFLICT", "error.vault.isFolder", { path });
		return;
	}
	const disk = await readDisk(app, entry);
	const dirty = dirtyView(viewsOf(app, path), disk);
	const seen = toBytes(before ?? "");
	if (dirty && dirty.getViewData() === before) return dirty.save().then(() => sameOnDisk(app, entry, seen));
	if (dirty || !sameBytes(disk, seen)) throw changed(path);
}

async function rmdir(app: App, path: string): Promise<Info> {
	const folder = folderAt(app.vault, path);
	if (path === "") throw fail("VALIDATION_ERROR", "error.path.empty");
	const { files, folders } = await app.vault.adapter.list(path); // sees hidden files too
	if (folder.children.length + files.length + folders.length > 0) {
		throw fail("CONFLICT", "error.vault.folderNotEmpty", { path });
	}
	await app.vault.adapter.rmdir(path, false);
	await gone(app, path);
	return GONE;
}

const GONE_MS = 2_000;

/** Waits until the app's index has seen that a path is gone. */
async function gone(app: App, path: string): Promise<void> {
	await waitUntil(() => app.vault.getAbstractFileByPath(path) === null, GONE_MS);
}
