// The release copy of the core, for builds where there is no Go of the pinned
// version (docs/adr/0031-a-release-copy-of-the-core.md): the packed core, the
// wasm_exec.js that goes with it, and SHA256SUMS with their hashes and that of the
// sources they were made of.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./go.mjs";

const folder = join(root, "release");
const names = { packed: "core.wasm.zst", wasmExec: "wasm_exec.js" };
const sums = join(folder, "SHA256SUMS");

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** What the core is made of, and by: more than is linked, never less. */
const sources = [
	...["go.mod", "go.sum", "wasm", "i18n", "third_party"],
	...["wasm.mjs", "go.mjs", "lines.mjs", "segments.mjs"].map((name) => `scripts/build/${name}`),
	"node_modules/@bokuweb/zstd-wasm/package.json",
];

/** Tests and their data are in no core, nor is what is TypeScript. */
const without = /(_test\.go|\.ts)$|\/testdata\//;

/** Every file below a path, by its name from the root, in one order everywhere. */
function* filesOf(above, path) {
	const entries = readdirSync(join(above, path), { withFileTypes: true });
	for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
		const name = `${path}/${entry.name}`;
		if (entry.isDirectory()) yield* filesOf(above, name);
		else yield name;
	}
}

/** The hash of the core's sources in a folder, alike whatever the ends of lines are. */
export function sourcesHash(above = root) {
	const hash = createHash("sha256");
	for (const path of sources) {
		const all = /\.\w+$/.test(path) ? [path] : [...filesOf(above, path)];
		for (const name of all.filter((file) => !without.test(file))) {
			const text = readFileSync(join(above, name), "latin1").replaceAll("\r\n", "\n");
			hash.update(`${name}\n${text.length}\n`).update(text, "latin1");
		}
	}
	return hash.digest("hex");
}

/** The lines of SHA256SUMS. */
const sumsOf = ({ packed, wasmExec }) =>
	[
		`${sha256(packed)}  ${names.packed}`,
		`${sha256(wasmExec)}  ${names.wasmExec}`,
		`# sources ${sourcesHash()}`,
		"",
	].join("\n");

/** Writes the release copy. */
export function writeRelease({ packed, wasmExec }) {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, names.packed), packed);
	writeFileSync(join(folder, names.wasmExec), wasmExec);
	writeFileSync(sums, sumsOf({ packed, wasmExec: Buffer.from(wasmExec) }));
}

/** Reads the release copy; it throws where there is none, or it is not of these sources. */
export function readRelease() {
	if (!existsSync(sums)) throw new Error("there is no release copy of the core in release/");
	const said = readFileSync(sums, "utf8");
	const [packed, wasmExec] = Object.values(names).map((name) => {
		const bytes = readFileSync(join(folder, name));
		if (!said.split("\n").includes(`${sha256(bytes)}  ${name}`))
			throw new Error(`release/${name} is not the file that release/SHA256SUMS names`);
		return bytes;
	});
	if (!said.includes(`# sources ${sourcesHash()}\n`))
		throw new Error("the release copy of the core is of other sources: a release's tag has its own");
	return { packed, wasmExec: wasmExec.toString("utf8") };
}
