/** The calls on the real folder, one method each. Every path is a vault path. */
import * as fs from "node:fs";
import { cp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { WireStat } from "../shared/frames";
import type { Profile } from "../shared/profiles";
import { DiskError } from "./errors";
import { checkNewName, realPath, segments } from "./names";

/** Times to set after a write, in ms since 1970. */
export interface WriteTimes {
	mtime?: number;
}

export interface Listing {
	files: string[];
	folders: string[];
}

/** Stat as it goes over the wire. The creation time is the birth time where the file system keeps one. */
export function wireStat(stats: fs.Stats): WireStat {
	const born = stats.birthtimeMs > 0 ? stats.birthtimeMs : stats.ctimeMs;
	return [
		stats.isDirectory() ? "folder" : "file",
		Math.floor(born),
		Math.floor(stats.mtimeMs),
		stats.isDirectory() ? 0 : stats.size,
	];
}

export class Disk {
	constructor(
		readonly root: string,
		readonly profile: Profile,
	) {}

	/** The real file behind a vault path. */
	resolve(path: string): string {
		return realPath(this.root, this.profile, path);
	}

	private resolveNew(path: string): string {
		const names = segments(path);
		for (const name of names) checkNewName(this.profile, name, path);
		return this.resolve(path);
	}

	/** Stat, or undefined where nothing is. `sensitive` asks for exactly this spelling. */
	async stat(path: string, sensitive = false): Promise<WireStat | undefined> {
		const real = sensitive ? join(this.root, ...segments(path)) : this.resolve(path);
		try {
			return wireStat(fs.statSync(real));
		} catch (error) {
			if (isCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
			throw error;
		}
	}

	async list(path: string): Promise<Listing> {
		const entries = fs.readdirSync(this.resolve(path), { withFileTypes: true });
		const prefix = path === "" || path === "/" ? "" : `${path}/`;
		const listing: Listing = { files: [], folders: [] };
		for (const entry of entries) {
			const target = entry.isDirectory() ? listing.folders : listing.files;
			target.push(prefix + entry.name.normalize("NFC"));
		}
		return listing;
	}

	async read(path: string): Promise<Uint8Array> {
		return fs.readFileSync(this.resolve(path));
	}

	/** `exclusive` refuses with EEXIST where something is. */
	async write(path: string, data: Uint8Array, times: WriteTimes, exclusive = false): Promise<void> {
		const real = this.resolveNew(path);
		if (exclusive && fs.existsSync(real)) throw new DiskError("EEXIST", "file already exists", path);
		fs.writeFileSync(real, data);
		setTimes(real, times);
	}

	async append(path: string, data: Uint8Array, times: WriteTimes): Promise<void> {
		const real = this.resolveNew(path);
		fs.appendFileSync(real, data);
		setTimes(real, times);
	}

	/** Makes the folder and, as the app's own adapter does, the folders above it. */
	async mkdir(path: string): Promise<void> {
		fs.mkdirSync(this.resolveNew(path), { recursive: true });
	}

	async rename(path: string, to: string): Promise<void> {
		const from = this.resolve(path);
		const names = segments(to);
		for (const name of names) checkNewName(this.profile, name, to);
		const target = this.resolve(to);
		// On a disk that folds case, "a.md" -> "A.md" finds itself: it is a change of spelling.
		const final = target === from ? join(dirname(from), names.at(-1) ?? "") : target;
		fs.renameSync(from, final);
	}

	async remove(path: string): Promise<void> {
		fs.unlinkSync(this.resolve(path));
	}

	async rmdir(path: string, recursive: boolean): Promise<void> {
		this.refuseRoot(path);
		const real = this.resolve(path);
		if (recursive) await rm(real, { recursive: true });
		else fs.rmdirSync(real);
	}

	async copy(path: string, to: string): Promise<void> {
		await cp(this.resolve(path), this.resolveNew(to), {
			recursive: true,
			errorOnExist: true,
			force: false,
		});
	}

	/** Moves into `.trash` of the vault, under a name that is free there. Returns where it went. */
	async trash(path: string): Promise<string> {
		this.refuseRoot(path);
		const from = this.resolve(path);
		fs.mkdirSync(join(this.root, ".trash"), { recursive: true });
		const name = segments(path).at(-1) ?? "";
		const dot = name.lastIndexOf(".");
		const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
		for (let n = 1; ; n++) {
			const candidate = n === 1 ? name : `${stem} ${n}${extension}`;
			if ((await this.stat(`.trash/${candidate}`)) !== undefined) continue;
			fs.renameSync(from, join(this.root, ".trash", candidate));
			return `.trash/${candidate}`;
		}
	}

	/** Leaves only the first bytes of what should have been written, as a kill in the middle does. */
	async tear(op: string, path: string, data: Uint8Array, bytes: number): Promise<void> {
		const real = this.resolveNew(path);
		const part = data.subarray(0, bytes);
		if (op === "append") fs.appendFileSync(real, part);
		else fs.writeFileSync(real, part);
	}

	private refuseRoot(path: string): void {
		if (segments(path).length === 0) throw new DiskError("EPERM", "operation not permitted", path);
	}
}

function setTimes(real: string, times: WriteTimes): void {
	if (times.mtime === undefined) return;
	const seconds = times.mtime / 1000;
	fs.utimesSync(real, seconds, seconds);
}

/** True for a file error with one of these codes. */
export function isCode(error: unknown, ...codes: string[]): boolean {
	return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
