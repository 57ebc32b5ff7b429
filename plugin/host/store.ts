import type { App, DataAdapter } from "obsidian";
import type { Answer, Host } from "../../bridge/client";
import { fail } from "../../bridge/problem";
import type { Content, Info } from "../../bridge/protocol.gen";
import { PathQueue } from "../../bridge/host/path-queue";
import { byPath } from "../../bridge/host/paths";
import { toBytes } from "../../bridge/host/text";

type StoreMethods = "store.append" | "store.write" | "store.read" | "store.list" | "store.remove";

// The plugin itself lies in the same folder.
const OURS = new Set(["main.js", "manifest.json", "styles.css", "data.json"]);
const WIDTH = 8;

/**
 * The plugin's own store: files in its folder, by the adapter, so that neither
 * the vault's index nor any tool sees them. Calls on one file keep their order.
 */
export function storeHost(app: App, folder: string): Pick<Host, StoreMethods> {
	const { adapter } = app.vault;
	const queue = new PathQueue(WIDTH);
	const disk = new Disk(adapter);
	const full = (path: string) => `${folder}/${checked(path)}`;
	const io = (error: unknown): never => {
		throw fail("INTERNAL_ERROR", "error.store.io", undefined, error);
	};
	return {
		"store.append": ({ path, blob }, { blobs, signal }) =>
			queue.run(path, signal, async () => {
				await disk.append(full(path), toBytes(blobs[blob] ?? new Uint8Array())).catch(io);
				return {};
			}),
		"store.write": ({ path, blob }, { blobs, signal }) =>
			queue.run(path, signal, async () => {
				await disk.write(full(path), toBytes(blobs[blob] ?? new Uint8Array())).catch(io);
				return {};
			}),
		"store.read": ({ path }, { signal }) =>
			queue.run(path, signal, async (): Promise<Answer<Content>> => {
				if (!(await adapter.exists(full(path)))) throw fail("NOT_FOUND", "error.vault.notFound", { path });
				const bytes = new Uint8Array(await adapter.readBinary(full(path)).catch(io));
				return (add) => ({ text: "", blob: add(bytes) });
			}),
		"store.list": async ({ path }) => ({ entries: await list(adapter, folder, path) }),
		"store.remove": ({ path }, { signal }) =>
			queue.alone(signal, async () => {
				await disk.remove(full(path)).catch(io);
				return {};
			}),
	};
}

/** Refuses a path that leads out of the store, or to the plugin's own files. */
function checked(path: string): string {
	const parts = path.split("/");
	if (parts.some((part) => part === "" || part === "." || part === "..") || OURS.has(parts[0] as string)) {
		throw fail("VALIDATION_ERROR", "error.path.outside", { path });
	}
	return path;
}

async function list(adapter: DataAdapter, root: string, path: string): Promise<Info[]> {
	const at = path === "" ? root : `${root}/${checked(path)}`;
	if (!(await adapter.exists(at))) return [];
	const { files, folders } = await adapter.list(at);
	const relative = (p: string) => p.slice(root.length + 1);
	const infos = await Promise.all(
		files.map(async (file): Promise<Info> => {
			const stat = await adapter.stat(file);
			const { size, ctime, mtime } = stat ?? { size: 0, ctime: 0, mtime: 0 };
			return { path: relative(file), kind: "file", size, ctime: Math.trunc(ctime), mtime: Math.trunc(mtime) };
		}),
	);
	for (const f of folders) infos.push({ path: relative(f), kind: "folder", size: 0, ctime: 0, mtime: 0 });
	return infos.filter((info) => path !== "" || !OURS.has(info.path)).sort(byPath);
}

/** Writes by the adapter; knows which folders and files it has seen. */
class Disk {
	#folders = new Set<string>();
	#files = new Set<string>();

	constructor(private readonly adapter: DataAdapter) {}

	async append(path: string, data: Uint8Array<ArrayBuffer>): Promise<void> {
		if (!this.#files.has(path) && !(await this.adapter.exists(path))) return this.write(path, data);
		this.#files.add(path);
		if (typeof this.adapter.appendBinary === "function") return this.adapter.appendBinary(path, data.buffer);
		// Before 1.12.3 there is no appendBinary: read and write the whole file.
		const old = new Uint8Array(await this.adapter.readBinary(path));
		const all = new Uint8Array(old.length + data.length);
		all.set(old);
		all.set(data, old.length);
		return this.adapter.writeBinary(path, all.buffer);
	}

	async write(path: string, data: Uint8Array<ArrayBuffer>): Promise<void> {
		await this.#folder(path.slice(0, path.lastIndexOf("/")));
		await this.adapter.writeBinary(path, data.buffer);
		this.#files.add(path);
	}

	async remove(path: string): Promise<void> {
		this.#files.clear();
		this.#folders.clear();
		if (!(await this.adapter.exists(path))) return; // some adapters throw where stat finds nothing
		const stat = await this.adapter.stat(path);
		if (stat?.type === "folder") await this.adapter.rmdir(path, true);
		else await this.adapter.remove(path);
	}

	async #folder(path: string): Promise<void> {
		if (path === "" || this.#folders.has(path)) return;
		if (!(await this.adapter.exists(path))) {
			await this.#folder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
			await this.adapter.mkdir(path);
		}
		this.#folders.add(path);
	}
}
