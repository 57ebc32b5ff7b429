// The pages of the tools stand in the core as they are. A model reads their heads, and
// only tests read their examples, which are a hundredth of the packed core. They are
// written over with spaces, which take no room once they are packed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HEADING = "\n## Examples\n"; // as package tool/builtin cuts a page

/**
 * Writes spaces over the examples of all pages in a folder, in place, where a module holds
 * them. Lengths stay. Fails where it holds some of the pages and not others.
 */
export function dropExamples(module, folder) {
	const missing = [];
	let found = 0;
	for (const name of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
		const page = readFileSync(join(folder, name));
		const at = module.indexOf(page);
		const from = page.indexOf(HEADING);
		if (from < 0) continue;
		if (at < 0) {
			missing.push(name);
			continue;
		}
		found++;
		module.fill(" ", at + from + HEADING.length, at + page.length);
	}
	if (found > 0 && missing.length > 0) throw new Error(`the core does not hold ${missing.join(", ")} as they are`);
	return module;
}
