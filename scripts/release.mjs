// Makes a release in dist/: main.js, manifest.json, styles.css and NOTICE with
// their hashes, and the release copy of the core in release/. Builds three times,
// which must be the same to the byte: here, from a copy of the sources in another
// folder, and there once more as where there is no Go, from the release copy.
// Checks that the versions agree. `--check` does all of it in folders of its own.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./build/wasm.mjs";
import { foreignModules, manifestProblems, versionProblems } from "./releasecheck.mjs";

const json = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));
const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const build = (folder, { env = process.env, args = [] } = {}) =>
	execFileSync(process.execPath, ["esbuild.config.mjs", ...args], { cwd: folder, env, stdio: "inherit" });

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

/** What a build reads, of the files that git knows. */
const read = (name) => !/^(test|docs|bench|\.github)\//.test(name);

/** Calls f with a copy of the sources in a folder of its own. */
function elsewhere(f) {
	const folder = mkdtempSync(join(tmpdir(), "release-"));
	try {
		const known = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
		for (const name of known.split("\0").filter((file) => file !== "" && read(file)))
			cpSync(join(root, name), join(folder, name));
		symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
		return f(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Builds in a folder as where no program can be found but Node's own, so no Go. */
function buildWithoutGo(folder) {
	const nothing = join(folder, "no-programs");
	mkdirSync(nothing);
	rmSync(join(folder, "build"), { recursive: true, force: true });
	build(folder, { env: { ...process.env, PATH: nothing } });
}

/** Builds in `first`, and elsewhere with and without Go; throws where main.js is not the same. */
function buildAlike(first) {
	build(first, { args: ["--release"] });
	const sums = elsewhere((folder) => {
		build(folder);
		const withGo = sha256(join(folder, "main.js"));
		cpSync(join(first, "release"), join(folder, "release"), { recursive: true });
		buildWithoutGo(folder);
		return { withGo, withoutGo: sha256(join(folder, "main.js")) };
	});
	const here = sha256(join(first, "main.js"));
	for (const [how, sum] of Object.entries(sums)) {
		if (sum !== here)
			throw new Error(
				`main.js is ${here}, and built in another folder (${how}) ${sum}: what is committed may not be what is here`,
			);
	}
	const foreign = foreignModules(readFileSync(join(first, "main.js"), "utf8"));
	if (foreign.length > 0)
		throw new Error(`main.js asks for ${foreign.join(", ")}, which the app does not give`);
	return here;
}

/** Puts what is attached to a release into dist/; gives the lines of its hashes. */
function writeDist() {
	const dist = join(root, "dist");
	rmSync(dist, { recursive: true, force: true });
	mkdirSync(dist);
	const names = ["main.js", "manifest.json", "styles.css", "NOTICE"];
	for (const name of names) cpSync(join(root, name), join(dist, name));
	const sums = names.map((name) => `${sha256(join(dist, name))}  ${name}`).join("\n");
	writeFileSync(join(dist, "SHA256SUMS"), `${sums}\n`);
	return sums;
}

const version = check();
if (process.argv.includes("--check")) {
	console.log(`Built three times the same: ${elsewhere(buildAlike)}  main.js`);
} else {
	buildAlike(root);
	console.log(`Release ${version} in dist/, built three times the same:\n${writeDist()}`);
}
