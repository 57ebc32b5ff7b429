// What main.js says at its head about whose work is inside. It is read from the
// committed NOTICE, so that a build without Go says the same.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./go.mjs";

export const NOTICE = join(root, "NOTICE");

/** What stands between the list and the texts, and around the head of each. */
export const RULE = "-".repeat(78);

/** The components that a text of NOTICE lists, one a line. */
export function listed(text) {
	const [head] = text.split(RULE);
	return head.split("\n").filter((line) => line.startsWith("  ")).map((line) => line.trim());
}

/** The comment at the head of main.js. */
export function headComment() {
	const { version } = JSON.parse(readFileSync(join(root, "manifest.json"), "utf8"));
	const inside = listed(readFileSync(NOTICE, "utf8"));
	if (inside.length === 0) throw new Error("NOTICE lists nothing: run `make generate`");
	return [
		`/* Embedded Agent ${version}, under the MIT licence. The sources and the release have`,
		"the file NOTICE, with the licence of everything inside:",
		...inside,
		"*/",
	].join("\n");
}
