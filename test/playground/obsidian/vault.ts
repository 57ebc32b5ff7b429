import type { Connection } from "../page/connection";
import type { WireEntry, WireStat } from "../shared/frames";
import type { Profile } from "../shared/profiles";
import type { AnyAdapter, DataWriteOptions } from "./adapter";
import { Config, type ConfigValue } from "./config";
import { Events } from "./events";
import { TFile, TFolder, type TAbstractFile } from "./files";
import { late, otherwise } from "./otherwise";
import { normalizePath } from "./paths";
import { encodeText } from "./text-codec";
import { VaultIndex } from "./vault-index";
import { checkPath } from "./vault-names";

/** How much text `cachedRead` keeps, in UTF-16 units. */
const cacheLimit = 64 * 1024 * 1024;

interface CachedText {
	mtime: number;
	size: number;
	text: string;
}

export class Vault extends Events {
	adapter: AnyAdapter;
	configDir = ".obsidian";
	config: Config;
	private readonly index: VaultIndex;
	private readonly texts = new Map<TFile, CachedText>();
	private textSize = 0;

	constructor(
		adapter: AnyAdapter,
		private readonly connection: Connection,
		private readonly profile: Profile,
	) {
		super();
		this.adapter = adapter;
		this.config = new Config(adapter, this.configDir);
		this.index = new VaultIndex(this);
		adapter.listener = {
			appeared: (path, stat) => this.appeared(path, stat),
			vanished: (path) => this.vanished(path),
			moved: (path, to) => this.moved(path, to),
		};
		connection.onChange = ({ path, stat }) => {
			this.trigger("raw", path);
			if (stat) this.appeared(path, stat);
			else this.vanished(path);
		};
	}

	/** Reads the tree; `create` fires for every file, as in the app. */
	async load(): Promise<void> {
		const entries = (await this.connection.call("tree", { app: true })).result as WireEntry[];
		for (const [path, ...stat] of entries) this.appeared(path, stat);
	}

	getName(): string {
		return this.adapter.getName();
	}

	getRoot(): TFolder {
		return this.index.root;
	}

	/** An option of the app, with the app's default. */
	getConfig(key: string): ConfigValue | undefined {
		return this.config.get(key);
	}

	setConfig(key: string, value: ConfigValue): void {
		this.config.set(key, value);
		this.trigger("config-changed", key);
	}

	getAbstractFileByPath(path: string): TAbstractFile | null {
		return this.index.byPath.get(path) ?? null;
	}

	getFileByPath(path: string): TFile | null {
		const entry = this.index.byPath.get(path);
		return entry instanceof TFile ? entry : null;
	}

	getFolderByPath(path: string): TFolder | null {
		const entry = this.index.byPath.get(path);
		return entry instanceof TFolder ? entry : null;
	}

	/** The entry whose path is the same but for case. */
	getAbstractFileByPathInsensitive(path: string): TAbstractFile | null {
		const exact = this.index.byPath.get(path);
		if (exact) return exact;
		const wanted = path.toLowerCase();
		for (const [other, entry] of this.index.byPath) if (other.toLowerCase() === wanted) return entry;
		return null;
	}

	getAllLoadedFiles(): TAbstractFile[] {
		return [...this.index.byPath.values()];
	}

	getAllFolders(includeRoot = false): TFolder[] {
		const folders: TFolder[] = [];
		for (const entry of this.index.byPath.values())
			if (entry instanceof TFolder && (includeRoot || !entry.isRoot())) folders.push(entry);
		return folders;
	}

	getFiles(): TFile[] {
		const files: TFile[] = [];
		for (const entry of this.index.byPath.values()) if (entry instanceof TFile) files.push(entry);
		return files;
	}

	getMarkdownFiles(): TFile[] {
		return this.getFiles().filter((file) => file.extension === "md");
	}

	isEmpty(): boolean {
		return this.index.root.children.length === 0;
	}

	static recurseChildren(root: TFolder, cb: (file: TAbstractFile) => unknown): void {
		const open: TAbstractFile[] = [root];
		for (let entry = open.pop(); entry; entry = open.pop()) {
			cb(entry);
			if (entry instanceof TFolder) open.push(...entry.children);
		}
	}

	/** Throws the app's error where the system forbids a character of the path. */
	checkPath(path: string): void {
		checkPath(this.profile, path);
	}

	async create(path: string, data: string, options?: DataWriteOptions): Promise<TFile> {
		const clean = this.newPath(path);
		await this.adapter.createNew(clean, encodeText(data), options);
		return this.getFileByPath(clean) as TFile;
	}

	async createBinary(path: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<TFile> {
		const clean = this.newPath(path);
		await this.adapter.createNew(clean, new Uint8Array(data), options);
		return this.getFileByPath(clean) as TFile;
	}

	async createFolder(path: string): Promise<TFolder> {
		const clean = normalizePath(path);
		this.checkPath(clean);
		if (await this.adapter.exists(clean)) throw new Error("Folder already exists.");
		await this.adapter.mkdir(clean);
		return this.getFolderByPath(clean) as TFolder;
	}

	read(file: TFile): Promise<string> {
		return this.adapter.read(file.path);
	}

	async cachedRead(file: TFile): Promise<string> {
		const { mtime, size } = file.stat;
		const cached = this.texts.get(file);
		if (cached && cached.mtime === mtime && cached.size === size) return cached.text;
		const text = await this.adapter.read(file.path);
		this.remember(file, { mtime, size, text });
		return text;
	}

	readBinary(file: TFile): Promise<ArrayBuffer> {
		return this.adapter.readBinary(file.path);
	}

	modify(file: TFile, data: string, options?: DataWriteOptions): Promise<void> {
		return this.adapter.write(file.path, data, options);
	}

	modifyBinary(file: TFile, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
		return this.adapter.writeBinary(file.path, data, options);
	}

	append(file: TFile, data: string, options?: DataWriteOptions): Promise<void> {
		return this.adapter.append(file.path, data, options);
	}

	appendBinary(file: TFile, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
		return this.adapter.appendBinary(file.path, data, options);
	}

	process(file: TFile, fn: (data: string) => string, options?: DataWriteOptions): Promise<string> {
		return this.adapter.process(file.path, fn, options);
	}

	async delete(file: TAbstractFile, force = false): Promise<void> {
		if (file instanceof TFolder) await this.adapter.rmdir(file.path, force || file.children.length > 0);
		else await this.adapter.remove(file.path);
	}

	async trash(file: TAbstractFile, system: boolean): Promise<void> {
		if (system && (await this.adapter.trashSystem(file.path))) return;
		await this.adapter.trashLocal(file.path);
	}

	async rename(file: TAbstractFile, newPath: string): Promise<void> {
		const clean = normalizePath(newPath);
		this.checkPath(clean);
		await this.adapter.rename(file.path, clean);
	}

	async copy<T extends TAbstractFile>(file: T, newPath: string): Promise<T> {
		const clean = normalizePath(newPath);
		this.checkPath(clean);
		await this.adapter.copy(file.path, clean);
		return this.getAbstractFileByPath(clean) as T;
	}

	getResourcePath(file: TFile): string {
		return `${this.adapter.getResourcePath(file.path)}&${file.stat.mtime}`;
	}

	/** `base.extension`, or `base 1.extension` and so on, whichever is free. `base` may hold folders. */
	getAvailablePath(base: string, extension: string): string {
		const suffix = extension === "" ? "" : `.${extension}`;
		for (let n = 0; ; n++) {
			const path = `${base}${n === 0 ? "" : ` ${n}`}${suffix}`;
			if (!this.getAbstractFileByPathInsensitive(path)) return path;
		}
	}

	private newPath(path: string): string {
		const clean = normalizePath(path);
		this.checkPath(clean);
		return clean;
	}

	private remember(file: TFile, entry: CachedText): void {
		this.forget(file);
		this.texts.set(file, entry);
		this.textSize += entry.text.length;
		for (const oldest of this.texts.keys()) {
			if (this.textSize <= cacheLimit) break;
			this.forget(oldest);
		}
	}

	private forget(file: TFile): void {
		const entry = this.texts.get(file);
		if (!entry) return;
		this.textSize -= entry.text.length;
		this.texts.delete(file);
	}

	private appeared(path: string, stat: WireStat): void {
		const { created, modified } = this.index.put(path, stat);
		for (const entry of created) this.tell("create", entry);
		if (modified) {
			this.forget(modified);
			this.tell("modify", modified);
		}
	}

	private vanished(path: string): void {
		for (const entry of this.index.remove(path)) {
			if (entry instanceof TFile) this.forget(entry);
			if (!otherwise("events.folder") || entry.path === path) this.tell("delete", entry);
		}
	}

	private moved(path: string, to: string): void {
		for (const { entry, oldPath } of this.index.move(path, to))
			if (!otherwise("events.folder") || oldPath === path) this.tell("rename", entry, oldPath);
	}

	private tell(event: string, ...what: unknown[]): void {
		if (otherwise("events.before")) window.setTimeout(() => this.trigger(event, ...what), late);
		else this.trigger(event, ...what);
	}
}
