// Reads the sources as the review of the official list does, which is wider than
// this project's own lint: the recommended rules of eslint-plugin-obsidianmd over
// every file but those of folders with fixed names. It must find nothing, no
// warning either: a release with an error cannot be installed. As a command it
// prints what it finds, and fails then.
import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import obsidianmd from "eslint-plugin-obsidianmd";
import { root } from "../build/wasm.mjs";

/** The folders that the review passes over, wherever they are. */
const folders = ["node_modules", "dist", "build", "pkg", "test", "tests", "mocks", "scripts", "docs", "i18n"];

/** What its rules are for: sources, and the list of packages. */
const read = /(\.(ts|cts|mts|tsx|js|cjs|jsx)|(^|\/)package\.json)$/;

/** Whether the review reads a file, given by its path from the root. */
export function isRead(path) {
	const above = path.split("/").slice(0, -1);
	return read.test(path) && !/\.test\.[^/]*$/.test(path) && !above.some((name) => folders.includes(name));
}

/** Every file that the review reads, of those that git knows or would take. */
export function scope() {
	const known = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
		cwd: root,
		encoding: "utf8",
	});
	const files = [...new Set(known.split("\0"))].filter(isRead);
	if (files.length < 50) throw new Error(`only ${files.length} files were found: the search is broken`);
	return files;
}

/** The review's ESLint. It knows nothing of this project's own configuration. */
export function reviewer() {
	return new ESLint({
		cwd: root,
		overrideConfigFile: true,
		errorOnUnmatchedPattern: false, // a file that was deleted and is not committed yet
		overrideConfig: [
			...obsidianmd.configs.recommended,
			{ languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } } },
		],
	});
}

/** What was found, one line each. */
export const findings = (results) =>
	results.flatMap(({ filePath, messages }) =>
		messages.map(({ line, ruleId, message, severity }) => {
			const place = `${relative(root, filePath)}:${line ?? 1}`;
			return `${place} ${severity === 2 ? "error" : "warning"} ${ruleId ?? "cannot be read"}: ${message}`;
		}),
	);

async function main() {
	const files = scope();
	const found = findings(await reviewer().lintFiles(files.map((file) => join(root, file))));
	for (const line of found) console.log(line);
	console.log(`${files.length} files, ${found.length} findings`);
	if (found.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
