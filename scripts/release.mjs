// Makes a release in dist/: main.js, manifest.json, styles.css and their
// hashes, and the release copy of the core in release/. Builds twice, the
// second time from a copy of the sources in another folder: both must be the
// same to the byte. Checks that the versions agree.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./build/wasm.mjs";
import { foreignModules, manifestProblems, versionProblems } from "./releasecheck.mjs";

const json = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));
const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const build = (folder, ...args) =>
	execFileSync("node", ["esbuild.config.mjs", ...args], { cwd: folder, stdio: "inherit" });

/** Refuses what the community's installer or its review would refuse. */
function check() {
	const manifest = json("manifest.json");
	const tags = execFileSync("git", ["tag", "--points-at", "HEAD"], { cwd: root, encoding: "utf8" })
		.split("\n")
		.filter(Boolean);
	const of = { manifest, packageJson: json("package.json"), versions: json("versions.json"), tags };
	const wrong = [...versionProblems(of), ...manifestProblems(manifest)];
	if (wrong.length > 0) throw new Error(`this is no release: ${wrong.join("; ")}`);
	return manifest.version;
}

/** Builds from a copy of what git knows, in another folder; gives the hash of its main.js. */
function buildElsewhere() {
	const folder = mkdtempSync(join(tmpdir(), "release-"));
	try {
		const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
			.split("\0")
			.filter(Boolean);
		const needed = /^(wasm|bridge|plugin|scripts|release)\/|^[^/]+$/;
		for (const name of files.filter((file) => needed.test(file)))
			cpSync(join(root, name), join(folder, name));
		symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
		build(folder);
		return sha256(join(folder, "main.js"));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const version = check();
build(root, "--release");
const foreign = foreignModules(readFileSync(join(root, "main.js"), "utf8"));
if (foreign.length > 0)
	throw new Error(`main.js asks for ${foreign.join(", ")}, which the app does not give`);
const elsewhere = buildElsewhere();
if (elsewhere !== sha256(join(root, "main.js"))) {
	throw new Error(
		"main.js is not the same when it is built in another folder, or what is committed is not what is here",
	);
}

const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const names = ["main.js", "manifest.json", "styles.css", "NOTICE"];
for (const name of names) cpSync(join(root, name), join(dist, name));
const sums = names.map((name) => `${sha256(join(dist, name))}  ${name}`).join("\n");
writeFileSync(join(dist, "SHA256SUMS"), `${sums}\n`);
console.log(`Release ${version} in dist/, built twice the same:\n${sums}`);
