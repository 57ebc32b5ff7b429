// Builds the core and compresses it, the same bytes from the same sources.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compress as zstd, init } from "@bokuweb/zstd-wasm";
import { dropLines } from "./lines.mjs";
import { mergeData } from "./segments.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Says whether there is a Go to build with. */
export function hasGo() {
	return spawnSync("go", ["version"], { cwd: root, stdio: "ignore" }).status === 0;
}

/**
 * Large packages that no write of a note goes through: the compiler is told not
 * to inline in them, which takes a twentieth off the packed core. Where notes are
 * written, copies put inline make the core a sixth faster.
 */
const COLD = [
	"go.starlark.net/...",
	"github.com/goccy/...",
	"github.com/yuin/...",
	"golang.org/x/...",
	"github.com/aymanbagabas/...",
	...["net", "net/...", "mime", "math/big", "crypto/...", "compress/...", "encoding/csv", "regexp/...", "text/..."],
	...["action/...", "agent/...", "alike", "answer", "chat", "community", "conversation", "debrief", "history", "jsontree", "leftout", "limits", "llm/...", "modelstep", "moment", "planner", "price", "reach", "reuse", "sandbox", "saved", "secrets", "shorten", "timestamp", "tool/builtin/...", "undo", "usage", "web", "webpage"].map((p) => `embedded-agent/wasm/internal/${p}`),
];

/** The compiler's flags that say where nothing is inlined. */
export const inlining = COLD.map((cold) => `-gcflags=${cold}=-l`);

/** Builds a js/wasm program (a package pattern such as "./wasm") into a file. */
export function buildWasm(pkg, out) {
	mkdirSync(dirname(out), { recursive: true });
	const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", ...inlining];
	execFileSync("go", [...args, "-o", out, pkg], {
		cwd: root,
		env: { ...process.env, GOOS: "js", GOARCH: "wasm" },
		stdio: "inherit",
	});
	return out;
}

/**
 * Compresses a module with zstd, from a pinned library, so that the same bytes give the
 * same bytes everywhere (docs/adr/0002-zstd.md). The highest level takes ten
 * seconds and more; what it gave is kept in build/ for an hour. `quick` is for
 * builds that are not shipped.
 */
export async function compress(wasm, { quick = false } = {}) {
	const bytes = dropLines(mergeData(wasm));
	const level = quick ? 3 : 22;
	const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
	const folder = join(root, "build");
	const kept = join(folder, `${hash}.${level}.zst`);
	if (existsSync(kept)) return readFileSync(kept);
	await init();
	const small = Buffer.from(zstd(new Uint8Array(bytes), level));
	mkdirSync(folder, { recursive: true });
	for (const name of readdirSync(folder).filter((name) => name.endsWith(".zst"))) {
		if (Date.now() - statSync(join(folder, name)).mtimeMs > KEEP_MS) rmSync(join(folder, name), { force: true });
	}
	const fresh = `${kept}.${process.pid}`;
	writeFileSync(fresh, small);
	renameSync(fresh, kept); // whole or not at all, also with two builds at once
	return small;
}

const KEEP_MS = 3_600_000;

/** The decoder that goes with it: wasm, as zstddec carries it in base64. */
export function decoderWasm() {
	const source = readFileSync(join(root, "node_modules/zstddec/dist/zstddec.mjs"), "utf8");
	const found = /const wasm = "([A-Za-z0-9+/=]+)"/.exec(source);
	if (!found) throw new Error("zstddec does not carry its wasm as it did: look at its new version");
	return found[1];
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
export async function core({ quick = false } = {}) {
	if (hasGo()) {
		const wasm = buildWasm("./wasm", join(root, "build", "core.wasm"));
		return { packed: await compress(readFileSync(wasm), { quick }), wasmExec: installedWasmExec() };
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
