/** The disk behind the vault. Changes go one at a time, as in the app; reads do not wait for them. */
import { HostError, type Connection } from "../page/connection";
import type { WireStat } from "../shared/frames";
import type { Profile } from "../shared/profiles";
import { throwByName } from "./not-implemented";
import { otherwise } from "./otherwise";
import { isHiddenPath } from "./paths";
import { decodeText, encodeText } from "./text-codec";

export interface Stat {
	type: "file" | "folder";
	ctime: number;
	mtime: number;
	size: number;
}

export interface ListedFiles {
	files: string[];
	folders: string[];
}

export interface DataWriteOptions {
	ctime?: number;
	mtime?: number;
}

/** What the index is told when a call changed the disk; it answers before the call resolves. */
export interface DiskListener {
	appeared(path: string, stat: WireStat): void;
	vanished(path: string): void;
	moved(path: string, to: string): void;
}

class VaultAdapter {
	/** Set by the vault. */
	listener: DiskListener | undefined;
	private tail: Promise<unknown> = Promise.resolve();

	constructor(
		protected readonly connection: Connection,
		protected readonly profile: Profile,
		private readonly vaultName: string,
	) {}

	getName(): string {
		return this.vaultName;
	}

	async exists(normalizedPath: string, sensitive = false): Promise<boolean> {
		return (await this.connection.call("stat", { path: normalizedPath, sensitive })).result !== null;
	}

	async stat(normalizedPath: string): Promise<Stat | null> {
		const stat = (await this.connection.call("stat", { path: normalizedPath })).result as WireStat | null;
		if (stat === null) {
			if (otherwise("adapter.stat"))
				throw new Error(`ENOENT: no such file or directory, stat '${normalizedPath}'`);
			return null;
		}
		const [type, ctime, mtime, size] = stat;
		return { type, ctime, mtime, size };
	}

	async list(normalizedPath: string): Promise<ListedFiles> {
		return (await this.connection.call("list", { path: normalizedPath })).result as ListedFiles;
	}

	async read(normalizedPath: string): Promise<string> {
		return decodeText((await this.connection.call("read", { path: normalizedPath })).body);
	}

	async readBinary(normalizedPath: string): Promise<ArrayBuffer> {
		return copyBuffer((await this.connection.call("read", { path: normalizedPath })).body);
	}

	write(normalizedPath: string, data: string, options?: DataWriteOptions): Promise<void> {
		return this.queue(() => this.put("write", normalizedPath, encodeText(data), options));
	}

	writeBinary(normalizedPath: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
		return this.queue(() => this.put("write", normalizedPath, new Uint8Array(data), options));
	}

	/** Writes a file that must not exist yet; the disk decides, so a name that differs only in case exists too. */
	async createNew(normalizedPath: string, data: Uint8Array, options?: DataWriteOptions): Promise<void> {
		try {
			await this.queue(() => this.put("write", normalizedPath, data, options, true));
		} catch (error) {
			if (error instanceof HostError && error.code === "EEXIST")
				throw new Error("File already exists.", { cause: error });
			if (otherwise("names.length") && error instanceof HostError && error.code === "ENAMETOOLONG")
				throw new Error("The file could not be made.", { cause: error });
			throw error;
		}
	}

	append(normalizedPath: string, data: string, options?: DataWriteOptions): Promise<void> {
		return this.queue(() => this.put("append", normalizedPath, encodeText(data), options));
	}

	appendBinary(normalizedPath: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
		return this.queue(() => this.put("append", normalizedPath, new Uint8Array(data), options));
	}

	/** Reads, changes and writes with no other change in between. Resolves to what was written. */
	process(normalizedPath: string, fn: (data: string) => string, options?: DataWriteOptions): Promise<string> {
		return this.queue(async () => {
			const before = await this.read(normalizedPath);
			let after: string;
			try {
				after = fn(before);
			} catch (error) {
				if (otherwise("process.throw")) return before;
				throw error;
			}
			if (typeof (after as unknown) !== "string")
				throw new Error("The function given to process must return a string.");
			if (after !== before) await this.put("write", normalizedPath, encodeText(after), options);
			return after;
		});
	}

	getResourcePath(normalizedPath: string): string {
		const path = normalizedPath.split("/").map(encodeURIComponent).join("/");
		return `${location.origin}/resource/${path}?profile=${this.profile.name}`;
	}

	mkdir(normalizedPath: string): Promise<void> {
		return this.queue(async () => {
			const { result } = await this.connection.call("mkdir", { path: normalizedPath });
			let at = "";
			for (const name of normalizedPath.split("/").slice(0, -1)) {
				at = at === "" ? name : `${at}/${name}`;
				this.tellAppeared(at, ["folder", 0, 0, 0]);
			}
			this.tellAppeared(normalizedPath, result as WireStat);
		});
	}

	/** The person's system bin. The playground's machine may have none, so it goes to a bin in the vault's `.trash`. */
	trashSystem(normalizedPath: string): Promise<boolean> {
		return this.trashLocal(normalizedPath).then(() => true);
	}

	trashLocal(normalizedPath: string): Promise<void> {
		return this.queue(async () => {
			await this.connection.call("trash", { path: normalizedPath });
			this.listener?.vanished(normalizedPath);
		});
	}

	rmdir(normalizedPath: string, recursive: boolean): Promise<void> {
		return this.queue(async () => {
			const all = recursive || otherwise("delete.notEmpty");
			await this.connection.call("rmdir", { path: normalizedPath, recursive: all });
			this.listener?.vanished(normalizedPath);
		});
	}

	remove(normalizedPath: string): Promise<void> {
		return this.queue(async () => {
			await this.connection.call("remove", { path: normalizedPath });
			this.listener?.vanished(normalizedPath);
		});
	}

	rename(normalizedPath: string, normalizedNewPath: string): Promise<void> {
		return this.queue(async () => {
			if (normalizedPath === normalizedNewPath) return;
			const sameFile = !otherwise("names.caseRename") && this.sameEntry(normalizedPath, normalizedNewPath);
			if (!sameFile && (await this.exists(normalizedNewPath)))
				throw new Error("Destination file already exists!");
			const { result } = await this.connection.call("rename", {
				path: normalizedPath,
				to: normalizedNewPath,
			});
			if (isHiddenPath(normalizedPath)) this.tellAppeared(normalizedNewPath, result as WireStat);
			else if (isHiddenPath(normalizedNewPath)) this.listener?.vanished(normalizedPath);
			else this.listener?.moved(normalizedPath, normalizedNewPath);
		});
	}

	copy(normalizedPath: string, normalizedNewPath: string): Promise<void> {
		return this.queue(async () => {
			if (await this.exists(normalizedNewPath)) throw new Error("Destination file already exists!");
			const { result } = await this.connection.call("copy", { path: normalizedPath, to: normalizedNewPath });
			await this.announceCopy(normalizedNewPath, result as WireStat);
		});
	}

	/** The path as the operating system would print it; there is no such file outside the playground. */
	getFullPath(normalizedPath: string): string {
		return [this.profile.basePath, ...normalizedPath.split("/")].join(this.profile.separator);
	}

	/** Writes on behalf of the app itself: not counted and not failed by the fault injection. */
	writeAsApp(normalizedPath: string, data: string): Promise<void> {
		return this.queue(async () => {
			await this.connection.call("write", { path: normalizedPath, app: true }, encodeText(data));
		});
	}

	/** Makes a folder on behalf of the app itself, where it is missing. */
	makeFolderAsApp(normalizedPath: string): Promise<void> {
		return this.queue(async () => {
			await this.connection.call("mkdir", { path: normalizedPath, app: true });
		});
	}

	/** Reads on behalf of the app itself; null where nothing is. */
	async readAsApp(normalizedPath: string): Promise<string | null> {
		try {
			return decodeText((await this.connection.call("read", { path: normalizedPath, app: true })).body);
		} catch (error) {
			if (error instanceof HostError && error.code === "ENOENT") return null;
			throw error;
		}
	}

	/** Runs one change after all before it, and before all after it. */
	queue<T>(work: () => Promise<T>): Promise<T> {
		const result = this.tail.then(work, work);
		this.tail = result.catch(() => undefined);
		return result;
	}

	private async put(
		op: string,
		path: string,
		data: Uint8Array,
		options?: DataWriteOptions,
		exclusive = false,
	): Promise<void> {
		const times = options?.mtime === undefined ? {} : { mtime: options.mtime };
		const { result } = await this.connection.call(op, { path, exclusive, ...times }, data);
		this.tellAppeared(path, result as WireStat);
	}

	private tellAppeared(path: string, stat: WireStat): void {
		if (!isHiddenPath(path)) this.listener?.appeared(path, stat);
	}

	private async announceCopy(path: string, stat: WireStat): Promise<void> {
		this.tellAppeared(path, stat);
		if (stat[0] !== "folder") return;
		const { files, folders } = await this.list(path);
		for (const inner of [...folders, ...files]) {
			const { result } = await this.connection.call("stat", { path: inner });
			if (result !== null) await this.announceCopy(inner, result as WireStat);
		}
	}

	private sameEntry(path: string, other: string): boolean {
		return this.profile.foldsCase && path.toLowerCase() === other.toLowerCase();
	}
}

function copyBuffer(bytes: Uint8Array): ArrayBuffer {
	const copy = new Uint8Array(bytes.length);
	copy.set(bytes);
	return copy.buffer;
}

/** The desktop app's adapter. */
export class FileSystemAdapter extends VaultAdapter {
	getBasePath(): string {
		return this.profile.basePath;
	}

	getFilePath(normalizedPath: string): string {
		const slashed = this.getFullPath(normalizedPath).replaceAll("\\", "/");
		return `file://${slashed.startsWith("/") ? "" : "/"}${slashed.split("/").map(encodeURIComponent).join("/")}`;
	}
}
throwByName(FileSystemAdapter, "FileSystemAdapter", ["readLocalFile", "mkdir"]);

/** The phone app's adapter. */
export class CapacitorAdapter extends VaultAdapter {}

export type AnyAdapter = FileSystemAdapter | CapacitorAdapter;
