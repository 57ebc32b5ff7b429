// Builds the core and compresses it, the same bytes from the same sources.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compress as zstd, init } from "@bokuweb/zstd-wasm";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Says whether there is a Go to build with. */
export function hasGo() {
	return spawnSync("go", ["version"], { cwd: root, stdio: "ignore" }).status === 0;
}

/** Builds a js/wasm program (a package pattern such as "./wasm") into a file. */
export function buildWasm(pkg, out) {
	mkdirSync(dirname(out), { recursive: true });
	const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, pkg];
	execFileSync("go", args, { cwd: root, env: { ...process.env, GOOS: "js", GOARCH: "wasm" }, stdio: "inherit" });
	return out;
}

/** Compresses with zstd at its highest level: a quarter less than gzip (docs/adr/0002-zstd.md). */
export async function compress(bytes, level = 22) {
	await init();
	return Buffer.from(zstd(bytes, level));
}

/** The release copy, for builds where there is no Go: its bytes and those of wasm_exec.js, checked by hash. */
export const releaseFiles = ["core.wasm.zst", "wasm_exec.js"].map((name) => join(root, "release", name));
export const releaseSums = join(root, "release", "SHA256SUMS");

function readRelease(path) {
	const bytes = readFileSync(path);
	const sum = createHash("sha256").update(bytes).digest("hex");
	const name = path.slice(dirname(path).length + 1);
	if (!readFileSync(releaseSums, "utf8").split("\n").includes(`${sum}  ${name}`)) {
		throw new Error(`release/${name} is not the file that release/SHA256SUMS names`);
	}
	return bytes;
}

/**
 * The core as it ships: wasm compressed with zstd, and the wasm_exec.js that goes with it.
 * Built where there is Go, otherwise taken from the release copy.
 */
export async function core() {
	if (hasGo()) {
		const wasm = buildWasm("./wasm", join(root, "build", "core.wasm"));
		return { packed: await compress(readFileSync(wasm)), wasmExec: installedWasmExec() };
	}
	if (!releaseFiles.every((path) => existsSync(path))) {
		throw new Error("There is no Go here, and no release copy of the core in release/. Install Go (https://go.dev/dl) and build again.");
	}
	const [packed, wasmExec] = releaseFiles.map(readRelease);
	return { packed, wasmExec: wasmExec.toString("utf8") };
}

/** wasm_exec.js of the installed Go. */
export function installedWasmExec() {
	const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8" }).trim();
	return readFileSync(join(goroot, "lib", "wasm", "wasm_exec.js"), "utf8");
}

/** Writes the release copy. */
export function writeRelease({ packed, wasmExec }) {
	mkdirSync(dirname(releaseSums), { recursive: true });
	const contents = [packed, Buffer.from(wasmExec)];
	const lines = releaseFiles.map((path, i) => {
		writeFileSync(path, contents[i]);
		return `${createHash("sha256").update(contents[i]).digest("hex")}  ${path.slice(dirname(path).length + 1)}`;
	});
	writeFileSync(releaseSums, lines.join("\n") + "\n");
}
