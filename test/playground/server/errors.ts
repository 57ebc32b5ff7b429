import type { WireError } from "../shared/frames";
import type { Profile } from "../shared/profiles";

/** A refusal by the disk, in the shape of Node's own file errors. */
export class DiskError extends Error {
	constructor(
		readonly code: string,
		readonly text: string,
		readonly path: string,
	) {
		super(`${code}: ${text}`);
	}
}

/** A path as the profile's app would print it. */
export function shownPath(profile: Profile, path: string): string {
	const inside = path.split("/").filter((name) => name !== "");
	return [profile.basePath, ...inside].join(profile.separator);
}

/** Any error as data for the page; real directories are replaced by the profile's. */
export function toWireError(error: unknown, profile: Profile, op: string, path: string): WireError {
	const shown = shownPath(profile, path);
	if (error instanceof DiskError)
		return { code: error.code, message: `${error.code}: ${error.text}, ${syscall(op)} '${shown}'` };
	if (error instanceof Error && "code" in error && typeof error.code === "string") {
		const text = /^[A-Z0-9_]+: ([^,]*)/.exec(error.message)?.[1] ?? error.message;
		return { code: error.code, message: `${error.code}: ${text}, ${syscall(op)} '${shown}'` };
	}
	return { code: "UNKNOWN", message: error instanceof Error ? error.message : String(error) };
}

function syscall(op: string): string {
	const names: Record<string, string> = {
		read: "open",
		write: "open",
		append: "open",
		list: "scandir",
		remove: "unlink",
	};
	return names[op] ?? op;
}
