import type { Connection } from "../../page/connection";
import { Events } from "../events";
import { TFile } from "../files";
import { fileName } from "../paths";
import type { Vault } from "../vault";
import { decodeText } from "../text-codec";
import type { NoteRecord } from "./index-worker";
import type { Indexer } from "./indexer";
import { NameIndex } from "./names";
import type { CachedMetadata } from "./types";

/** How many notes are read and parsed at once. */
const batchSize = 200;
/** How long changes are gathered before they are parsed together, in ms. */
const gatherMs = 25;
/** How many parsed caches are kept as objects. */
const parsedLimit = 5000;

/**
 * What the notes contain. It lags behind the files: a change is parsed in a worker, and until its answer the
 * old cache is what one gets. `changed` fires after a change of content, not after a rename.
 */
export class MetadataCache extends Events {
	resolvedLinks: Record<string, Record<string, number>> = {};
	unresolvedLinks: Record<string, Record<string, number>> = {};
	/** False until every note was parsed once. */
	initialized = false;
	private readonly names = new NameIndex();
	private readonly records = new Map<string, NoteRecord>();
	private readonly parsed = new Map<string, CachedMetadata>();
	/** Which notes link to a file of this (lower-case) name. */
	private readonly sources = new Map<string, Set<string>>();
	private readonly queue = new Set<TFile>();
	private working = false;

	constructor(
		private readonly vault: Vault,
		private readonly connection: Connection,
		private readonly indexer: Indexer,
	) {
		super();
		vault.on("create", (entry: unknown) => entry instanceof TFile && this.onCreate(entry));
		vault.on("modify", (entry: unknown) => entry instanceof TFile && this.enqueue(entry));
		vault.on("delete", (entry: unknown) => entry instanceof TFile && this.onDelete(entry));
		vault.on(
			"rename",
			(entry: unknown, oldPath: string) => entry instanceof TFile && this.onRename(entry, oldPath),
		);
	}

	getFileCache(file: TFile): CachedMetadata | null {
		return this.getCache(file.path);
	}

	getCache(path: string): CachedMetadata | null {
		const known = this.parsed.get(path);
		if (known) return known;
		const record = this.records.get(path);
		if (!record) return null;
		const cache = JSON.parse(record.json) as CachedMetadata;
		this.parsed.set(path, cache);
		if (this.parsed.size > parsedLimit) this.parsed.delete(this.parsed.keys().next().value as string);
		return cache;
	}

	getCachedFiles(): string[] {
		return [...this.records.keys()];
	}

	getFirstLinkpathDest(linkpath: string, sourcePath: string): TFile | null {
		if (linkpath === "") return this.vault.getFileByPath(sourcePath);
		return this.names.resolve(linkpath.normalize("NFC"), sourcePath);
	}

	/** All files a link could mean; the best one only, since that is the one it opens. */
	getLinkpathDest(linkpath: string, sourcePath: string): TFile[] {
		const file = this.getFirstLinkpathDest(linkpath, sourcePath);
		return file ? [file] : [];
	}

	/** The shortest text that links to the file: its name where that is unique, else its path. */
	fileToLinktext(file: TFile, _sourcePath: string, omitMdExtension = true): string {
		const cut = (path: string): string =>
			omitMdExtension && file.extension === "md" ? path.slice(0, -3) : path;
		return this.names.count(file.name) > 1 ? cut(file.path) : cut(file.name);
	}

	/** How often each tag is used, in all notes. */
	getTags(): Record<string, number> {
		const counts: Record<string, number> = {};
		for (const { tags } of this.records.values())
			for (const tag of tags) counts[tag] = (counts[tag] ?? 0) + 1;
		return counts;
	}

	isUserIgnored(_path: string): boolean {
		return false;
	}

	/** Links of other notes to a file, by note. */
	getBacklinksForFile(file: TFile): { data: Map<string, unknown[]> } {
		const data = new Map<string, unknown[]>();
		for (const source of this.sources.get(nameKey(file.name)) ?? []) {
			if (!this.resolvedLinks[source]?.[file.path]) continue;
			const cache = this.getCache(source);
			const links = [...(cache?.links ?? []), ...(cache?.embeds ?? [])];
			data.set(
				source,
				links.filter(({ link }) => this.getFirstLinkpathDest(link.split("#")[0] ?? "", source) === file),
			);
		}
		return { data };
	}

	private onCreate(file: TFile): void {
		this.names.add(file);
		this.relinkName(file.name);
		this.enqueue(file);
	}

	private onDelete(file: TFile): void {
		this.names.remove(file, file.name);
		this.queue.delete(file);
		const before = this.getCache(file.path);
		this.forget(file.path);
		this.relinkName(file.name);
		this.trigger("deleted", file, before);
	}

	private onRename(file: TFile, oldPath: string): void {
		const oldName = fileName(oldPath);
		this.names.remove(file, oldName);
		this.names.add(file);
		const record = this.records.get(oldPath);
		this.forget(oldPath);
		if (record) this.keep(file.path, record);
		this.relinkName(oldName);
		this.relinkName(file.name);
	}

	private enqueue(file: TFile): void {
		if (file.extension !== "md") return;
		this.queue.add(file);
		if (this.working) return;
		this.working = true;
		void this.work();
	}

	private async work(): Promise<void> {
		try {
			while (this.queue.size > 0) {
				if (this.initialized) await new Promise((resolve) => setTimeout(resolve, gatherMs));
				await this.batch(this.nextBatch());
			}
		} finally {
			this.working = false;
		}
		this.initialized = true;
		this.trigger("resolved");
	}

	private nextBatch(): TFile[] {
		const files: TFile[] = [];
		for (const file of this.queue) {
			this.queue.delete(file);
			files.push(file);
			if (files.length === batchSize) break;
		}
		return files;
	}

	private async batch(files: TFile[]): Promise<void> {
		const paths = files.map((file) => file.path);
		const { result, body } = await this.connection.call("readMany", { paths, app: true });
		const sizes = result as number[];
		// Whoever hears `changed` gets the text too; while the vault is being loaded nobody does.
		const texts = this.initialized ? decodeAll(body, sizes) : undefined;
		const records = await this.indexer.parse(body, sizes);
		files.forEach((file, index) => {
			const record = records[index];
			if (!record || file.deleted) return;
			this.forget(file.path);
			this.keep(file.path, record);
			if (texts) this.trigger("changed", file, texts[index], this.getCache(file.path));
			this.trigger("resolve", file);
		});
	}

	private keep(path: string, record: NoteRecord): void {
		this.records.set(path, record);
		for (const ref of record.refs) {
			const key = nameKey(fileName(ref));
			const known = this.sources.get(key);
			if (known) known.add(path);
			else this.sources.set(key, new Set([path]));
		}
		this.relink(path);
	}

	private forget(path: string): void {
		const record = this.records.get(path);
		for (const ref of record?.refs ?? []) this.sources.get(nameKey(fileName(ref)))?.delete(path);
		this.records.delete(path);
		this.parsed.delete(path);
		delete this.resolvedLinks[path];
		delete this.unresolvedLinks[path];
	}

	/** Resolves again the links that could mean a file of this name. */
	private relinkName(name: string): void {
		for (const source of this.sources.get(nameKey(name)) ?? []) this.relink(source);
	}

	private relink(path: string): void {
		const resolved: Record<string, number> = {};
		const unresolved: Record<string, number> = {};
		for (const ref of this.records.get(path)?.refs ?? []) {
			const target = this.names.resolve(ref, path);
			if (target) resolved[target.path] = (resolved[target.path] ?? 0) + 1;
			else unresolved[ref] = (unresolved[ref] ?? 0) + 1;
		}
		this.resolvedLinks[path] = resolved;
		this.unresolvedLinks[path] = unresolved;
	}
}

function nameKey(name: string): string {
	return name.toLowerCase().replace(/\.md$/, "");
}

function decodeAll(bytes: Uint8Array, sizes: number[]): string[] {
	let at = 0;
	return sizes.map((size) => {
		if (size < 0) return "";
		const text = decodeText(bytes.subarray(at, at + size));
		at += size;
		return text;
	});
}
