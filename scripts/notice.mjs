// Writes NOTICE: whose work is inside main.js, and under which licence, with the
// texts. What is inside is asked of Go's linker and of the bundler, not written
// down. `--check` writes nothing and fails when the file is stale.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleMain } from "./build/bundle.mjs";
import { NOTICE, RULE } from "./build/notice.mjs";
import { goEnv, root } from "./build/go.mjs";
import { installedWasmExec } from "./build/wasm.mjs";

/** Files that a copy must come with. */
const isNotice = (name) => /^(licen[cs]e|copying|notice|patents)/i.test(name);

/** What a licence is called, by the sentence that each has and no other. */
export function licenceOf(text) {
	const found = [
		[/Apache License\s+Version 2\.0/, "Apache-2.0"],
		[/Permission is hereby granted, free of charge/, "MIT"],
		[/Redistribution and use in source and binary forms[^]*Neither the name/, "BSD-3-Clause"],
	].filter(([sentence]) => sentence.test(text));
	if (found.length === 0) throw new Error(`a licence that nobody has read yet: ${text.slice(0, 200)}`);
	return found.map(([, name]) => name).join(" and ");
}

/** The notices that stand in a folder, or between it and the folder above it all. */
function noticesFrom(folder, top) {
	const own = readdirSync(folder).filter(isNotice).sort();
	const texts = own.map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim());
	return folder === top ? texts : [...noticesFrom(dirname(folder), top), ...texts];
}

function component(name, folders, top, more = "") {
	const texts = [...new Set(folders.flatMap((folder) => noticesFrom(folder, top)))];
	if (texts.length === 0) throw new Error(`${name} has no licence in ${top}`);
	const text = texts.join("\n\n");
	return { name, licence: licenceOf(text), text, more };
}

/** Go itself: its library, its runtime, and wasm_exec.js. */
function go(run) {
	const [version, goroot] = run("env", "GOVERSION", "GOROOT").trim().split("\n");
	return component(`Go ${version.replace(/^go/, "")}`, [goroot], goroot);
}

/** The Go modules that the core is linked of. */
export function goModules() {
	const run = (...args) =>
		execFileSync("go", args, { cwd: root, encoding: "utf8", env: goEnv({ wasm: true }) });
	const listed = run(
		"list",
		"-deps",
		"-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}\t{{.Dir}}",
		"./wasm",
	);
	const modules = new Map();
	for (const line of listed.trim().split("\n").sort()) {
		const [path, version, top, folder] = line.split("\t");
		if (folder === undefined) continue; // Go's own library, or this project
		const known = modules.get(path) ?? { version, top, folders: [] };
		modules.set(path, { ...known, folders: [...known.folders, folder] });
	}
	const components = [...modules].map(([path, { version, top, folders }]) => {
		const changed = top.startsWith(`${resolve(root)}/`) ? `, changed: ${relative(root, top)}/README.md` : "";
		return component(`${path} ${version}`, folders, top, changed);
	});
	return [go(run), ...components];
}

/** Packages of which the build takes bytes, where the bundler does not see it (scripts/build/wasm.mjs). */
const taken = ["node_modules/zstddec"];

/** The npm packages that the bundle has something of. */
export async function npmPackages() {
	const inside = new Set();
	await bundleMain(installedWasmExec(), { inside });
	// The last node_modules of a path: a package may have packages of its own.
	const folders = [...inside].map((path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]);
	return [...new Set([...folders.filter(Boolean), ...taken])].sort().map((path) => {
		const folder = join(root, path);
		const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		return component(`${name} ${version}`, [folder], folder);
	});
}

/** The text of NOTICE. Who has the same text stands above it together. */
export async function notice() {
	const all = [...goModules(), ...(await npmPackages())];
	const byText = new Map();
	for (const { name, text } of all) byText.set(text, [...(byText.get(text) ?? []), name]);
	const head = `Embedded Agent is under the MIT licence (LICENSE). Inside its main.js is the work\nof others, each under a licence of its own. The texts follow the list.\n\n`;
	const list = all.map(({ name, licence, more }) => `  ${name} (${licence}${more})\n`).join("");
	const texts = [...byText].map(([text, names]) => `\n${RULE}\n${names.join("\n")}\n${RULE}\n\n${text}\n`);
	return head + list + texts.join("");
}

async function main() {
	const text = await notice();
	if (existsSync(NOTICE) && readFileSync(NOTICE, "utf8") === text) return;
	if (!process.argv.includes("--check")) return writeFileSync(NOTICE, text);
	console.error("NOTICE is stale, run `make generate`");
	process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
