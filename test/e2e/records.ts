/** What the plugin keeps on this device, read and written past the plugin, wherever the engine lets it be kept. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";

/** The kinds of places. */
export type RecordsKind = "opfs" | "indexeddb" | "folder";

/** The records of this device; paths are relative to them. */
export interface Records {
	/** The names in a folder, sorted; none where there is no folder. */
	list(this: void, folder: string): Promise<string[]>;
	read(this: void, path: string): Promise<string>;
	/** Writes a file, in folders that are made. Not one that a core has open: restart the app before. */
	write(this: void, path: string, text: string): Promise<void>;
}

/** The records of a kind. `plugin` is the plugin's folder on the disk. */
export function recordsOf(kind: RecordsKind, page: Page, plugin: string): Records {
	switch (kind) {
		case "opfs":
			return inOPFS(page);
		case "folder":
			return onDisk(page, plugin);
		case "indexeddb":
			return inDatabase(page);
	}
}

/** Copies a folder of the records. */
export async function copyRecords(records: Records, from: string, to: string): Promise<void> {
	for (const name of await records.list(from)) {
		const below = await records.list(`${from}/${name}`);
		if (below.length > 0) await copyRecords(records, `${from}/${name}`, `${to}/${name}`);
		else await records.write(`${to}/${name}`, await records.read(`${from}/${name}`));
	}
}

/** The text of every file of the records whose name matches, by path. */
export async function textsOf(records: Records, folder: string, name: RegExp): Promise<Map<string, string>> {
	const texts = new Map<string, string>();
	for (const file of await records.list(folder)) {
		const path = `${folder}/${file}`;
		if (name.test(file)) texts.set(path, await records.read(path));
		for (const [below, text] of await textsOf(records, path, name)) texts.set(below, text);
	}
	return texts;
}

/** The id of the vault on this device, which the plugin makes when it first needs it. */
async function vaultOf(page: Page): Promise<string> {
	const id = await page.waitForFunction(() => {
		const app = window.app as unknown as { loadLocalStorage(key: string): string | null };
		return app.loadLocalStorage("embedded-agent-device");
	});
	return (await id.jsonValue()) as string;
}

function inOPFS(page: Page): Records {
	const ask = async (path: string, text?: string) =>
		page.evaluate(
			async ([id, path, text]) => {
				const whole = ["embedded-agent", id, ...path.split("/")];
				const name = whole.pop() as string;
				let folder = await navigator.storage.getDirectory();
				for (const part of whole)
					folder = await folder.getDirectoryHandle(part, { create: text !== undefined });
				if (text !== undefined) {
					const file = await folder.getFileHandle(name, { create: true });
					const out = await file.createWritable();
					await out.write(text);
					await out.close();
					return [];
				}
				for await (const entry of folder.values()) {
					if (entry.name !== name) continue;
					if (entry.kind === "file") return await (await entry.getFile()).text();
					const names: string[] = [];
					for await (const below of entry.keys()) names.push(below);
					return names.sort();
				}
				return [];
			},
			[await vaultOf(page), path, text] as const,
		);
	return fromAnswers(ask);
}

function inDatabase(page: Page): Records {
	const ask = async (path: string, text?: string) =>
		page.evaluate(
			async ([id, path, text]) => {
				const ended = <T>(request: IDBRequest<T>) =>
					new Promise<T>((resolve, reject) => {
						request.onsuccess = () => resolve(request.result);
						request.onerror = () => reject(new Error(request.error?.message));
					});
				const name = `embedded-agent/${id}`;
				const db = await ended(indexedDB.open(name));
				const tables = db.transaction(["files", "pieces"], "readwrite");
				const [files, pieces] = [tables.objectStore("files"), tables.objectStore("pieces")];
				const all = IDBKeyRange.bound([path, 0], [path, Infinity]);
				if (text !== undefined) {
					const bytes = new TextEncoder().encode(text);
					await ended(pieces.delete(all));
					await ended(pieces.put(bytes, [path, 1]));
					await ended(files.put({ path, size: bytes.length, pieces: 1, mtime: Date.now() }));
					db.close();
					return [];
				}
				const own = await ended(files.getKey(path));
				const parts = (await ended(pieces.getAll(all))) as Uint8Array<ArrayBuffer>[];
				const below = await ended(files.getAllKeys(IDBKeyRange.bound(`${path}/`, `${path}0`)));
				db.close();
				if (own !== undefined) return await new Blob(parts).text();
				return [
					...new Set(below.map((key) => (key as string).slice(path.length + 1).split("/")[0] as string)),
				].sort();
			},
			[await vaultOf(page), path, text] as const,
		);
	return fromAnswers(ask);
}

/** A file answers with its text, a folder with its names, and what is not there with no names. */
function fromAnswers(ask: (path: string, text?: string) => Promise<string | string[]>): Records {
	return {
		list: async (folder) => {
			const names = await ask(folder);
			return typeof names === "string" ? [] : names;
		},
		read: async (path) => {
			const text = await ask(path);
			if (typeof text !== "string") throw new Error(`There is no record ${path}.`);
			return text;
		},
		write: async (path, text) => void (await ask(path, text)),
	};
}

function onDisk(page: Page, plugin: string): Records {
	return fromAnswers(async (path, text) => {
		const id = await vaultOf(page);
		const device = createHash("sha256").update(id).digest("hex").slice(0, 12);
		const full = join(plugin, "devices", device, path);
		if (text !== undefined) {
			mkdirSync(dirname(full), { recursive: true });
			writeFileSync(full, text);
			return [];
		}
		if (!existsSync(full)) return [];
		return statSync(full).isDirectory() ? readdirSync(full).sort() : readFileSync(full, "utf8");
	});
}
