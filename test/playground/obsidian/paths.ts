/** Vault paths: always with `/`, without a leading one; the root is `/`. */

/** One spelling per path: slashes collapsed, none at the ends, no-break spaces made plain, Unicode composed. */
export function normalizePath(path: string): string {
	const trimmed = path.replace(/[\\/]+/g, "/").replace(/^\/+|\/+$/g, "");
	const spaced = (trimmed === "" ? "/" : trimmed).replace(/\u00a0|\u202f/g, " ");
	return spaced.normalize("NFC");
}

/** The folder of a path; `/` for what lies in the root. */
export function parentPath(path: string): string {
	const slash = path.lastIndexOf("/");
	return slash <= 0 ? "/" : path.slice(0, slash);
}

/** The last name of a path. */
export function fileName(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}

/** Name without extension, and the extension in the app's sense: after the last dot, lower case, "" for none. */
export function splitName(name: string): { basename: string; extension: string } {
	const dot = name.lastIndexOf(".");
	if (dot <= 0 || dot === name.length - 1) return { basename: name, extension: "" };
	return { basename: name.slice(0, dot), extension: name.slice(dot + 1).toLowerCase() };
}

/** `folder` and `name` as one path; the root adds nothing. */
export function joinPath(folder: string, name: string): string {
	return folder === "/" || folder === "" ? name : `${folder}/${name}`;
}

/** A path with a name that starts with a dot: the app does not index it. */
export function isHiddenPath(path: string): boolean {
	return path.startsWith(".") || path.includes("/.");
}

/** The part of a link before `#`, `|` removed by the caller; no-break spaces made plain. */
export function getLinkpath(linktext: string): string {
	return parseLinktext(linktext).path;
}

/** Splits `note#heading` into its path and its subpath (which keeps the `#`). */
export function parseLinktext(linktext: string): { path: string; subpath: string } {
	const text = linktext.replace(/\u00a0/g, " ").normalize("NFC");
	const hash = text.indexOf("#");
	if (hash < 0) return { path: text, subpath: "" };
	return { path: text.slice(0, hash), subpath: text.slice(hash) };
}

/** A heading as it may stand in a link: characters that end or split a link become spaces. */
export function stripHeadingForLink(heading: string): string {
	return heading
		.replace(/[#|^:]|%%|\[\[|\]\]/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}

/** A heading for comparing: punctuation and runs of spaces become one space. */
export function stripHeading(heading: string): string {
	return heading
		.replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n]/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}
