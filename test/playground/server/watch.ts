/**
 * Sees what others do to the folder. One `fs.watch` per directory (Node's own recursive watching on Linux
 * watches every single file, which a vault of 100,000 notes cannot afford); hidden folders other than the
 * configuration folder are left alone. What the page itself wrote is known by its stat and not reported.
 */
import { readdirSync, statSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { WireEntry, WireStat } from "../shared/frames";
import { isCode, wireStat } from "./disk";

/** How long to collect file system notifications before looking, in ms. */
const settleMs = 25;

/** What is gone, a link to nowhere or in circles, or closed to us is not in the vault, as in the app. */
const unseen = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM"];

export type Report = (path: string, stat: WireStat | undefined) => void;

export class FolderWatcher {
	private known = new Map<string, WireStat>();
	private watchers = new Map<string, FSWatcher>();
	private pending = new Set<string>();
	private timer: NodeJS.Timeout | undefined;
	private closed = false;

	/**
	 * `exclusive` runs a function while no write is going on, so that a half-recorded write of our own is
	 * never taken for somebody else's. `tell` is told what somebody else did.
	 */
	constructor(
		private readonly root: string,
		private readonly exclusive: (work: () => Promise<void>) => Promise<void>,
		private readonly tell: Report,
	) {}

	/** Walks the folder, starts watching, and returns everything that a person can see in it. */
	start(): WireEntry[] {
		this.walk("");
		return this.tree();
	}

	/** Everything known that is not hidden. */
	tree(): WireEntry[] {
		const entries: WireEntry[] = [];
		for (const [path, stat] of this.known)
			if (!isHidden(path)) entries.push([path.normalize("NFC"), ...stat]);
		return entries;
	}

	/** Records what the page itself did to a path, so that it is not reported back. */
	note(path: string): WireStat | undefined {
		const stat = this.look(path);
		this.remember(path, stat);
		return stat;
	}

	close(): void {
		this.closed = true;
		clearTimeout(this.timer);
		for (const watcher of this.watchers.values()) watcher.close();
		this.watchers.clear();
	}

	private report(path: string, stat: WireStat | undefined): void {
		this.tell(path.normalize("NFC"), stat);
	}

	private look(path: string): WireStat | undefined {
		try {
			return wireStat(statSync(join(this.root, path)));
		} catch (error) {
			if (isCode(error, ...unseen)) return undefined;
			throw error;
		}
	}

	private remember(path: string, stat: WireStat | undefined): void {
		if (stat === undefined) {
			this.forget(path);
		} else if (stat[0] === "folder" && this.known.get(path)?.[0] !== "folder") {
			this.known.set(path, stat);
			this.walk(path);
		} else {
			this.known.set(path, stat);
		}
	}

	private forget(path: string): string[] {
		const gone: string[] = [];
		const kind = this.known.get(path)?.[0];
		if (kind === "folder") {
			for (const other of this.known.keys()) if (other.startsWith(`${path}/`)) gone.push(other);
		}
		if (kind !== undefined) gone.push(path);
		for (const one of gone) {
			this.known.delete(one);
			this.watchers.get(one)?.close();
			this.watchers.delete(one);
		}
		return gone;
	}

	private walk(directory: string): void {
		if (this.closed || !isWatched(directory)) return;
		this.watchDirectory(directory);
		let entries;
		try {
			entries = readdirSync(join(this.root, directory), { withFileTypes: true });
		} catch (error) {
			// A folder that vanished while we walked is reported by the notification of its parent.
			if (isCode(error, ...unseen)) return;
			throw error;
		}
		for (const entry of entries) {
			const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
			const stat = this.look(path);
			if (stat === undefined) continue;
			this.known.set(path, stat);
			if (stat[0] === "folder" && !entry.isSymbolicLink()) this.walk(path);
		}
	}

	private watchDirectory(directory: string): void {
		if (this.watchers.has(directory)) return;
		try {
			const watcher = watch(join(this.root, directory), { persistent: false }, (_kind, name) => {
				if (name === null) return;
				this.notice(directory === "" ? name : `${directory}/${name}`);
			});
			watcher.on("error", () => {
				// The directory went away; its parent's notification says so.
				watcher.close();
				this.watchers.delete(directory);
			});
			this.watchers.set(directory, watcher);
		} catch (error) {
			if (isCode(error, "ENOSPC", "EMFILE")) {
				console.warn(`Too many folders to watch: edits from outside under "${directory}" will not be seen.`);
				return;
			}
			if (!isCode(error, ...unseen)) throw error;
		}
	}

	private notice(path: string): void {
		this.pending.add(path);
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			const paths = [...this.pending];
			this.pending.clear();
			this.exclusive(async () => this.compare(paths)).catch((error: unknown) =>
				console.error("Watching failed.", error),
			);
		}, settleMs);
	}

	private compare(paths: string[]): void {
		for (const path of paths.sort()) {
			if (this.closed) return;
			const before = this.known.get(path);
			const now = this.look(path);
			if (now === undefined) {
				for (const gone of this.forget(path)) this.report(gone, undefined);
			} else if (before === undefined || before[0] !== now[0]) {
				this.appear(path, now);
			} else if (now[0] === "file" && (before[2] !== now[2] || before[3] !== now[3])) {
				this.known.set(path, now);
				this.report(path, now);
			}
		}
	}

	private appear(path: string, stat: WireStat): void {
		for (const gone of this.forget(path)) this.report(gone, undefined);
		const before = new Set(this.known.keys());
		this.remember(path, stat);
		this.report(path, stat);
		if (stat[0] !== "folder") return;
		for (const [inner, innerStat] of this.known)
			if (inner.startsWith(`${path}/`) && !before.has(inner)) this.report(inner, innerStat);
	}
}

/** A path with a dot-folder or dot-file in it: the app neither lists nor indexes it. */
export function isHidden(path: string): boolean {
	return path.startsWith(".") || path.includes("/.");
}

/** Hidden folders are not watched, except the configuration folder (its data.json files may be synced). */
function isWatched(directory: string): boolean {
	return (
		!isHidden(directory) || directory === ".obsidian" || /^\.obsidian\/plugins(\/[^/.]+)?$/.test(directory)
	);
}
