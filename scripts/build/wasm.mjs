// Builds the core and compresses it, the same bytes from the same sources.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { compress as zstd, init } from "@bokuweb/zstd-wasm";
import { goEnv, hasGo, root, toolchain } from "./go.mjs";
import { dropExamples } from "./examples.mjs";
import { filter } from "./filter.mjs";
import { dropLines } from "./lines.mjs";
import { readRelease } from "./release-copy.mjs";
import { mergeData } from "./segments.mjs";

export { hasGo, root };

/**
 * Packages in which the compiler is told not to inline, which takes a tenth off the
 * packed core: main.js would not fit otherwise. What hashes, journals, stages and
 * takes JSON apart has its copies inline, since each byte of a run goes through it.
 */
const COLD = [
	"go.starlark.net/...",
	"go.yaml.in/...",
	"github.com/...",
	"golang.org/x/...",
	"embedded-agent/i18n",
	...["net", "net/...", "mime", "math/big", "crypto/...", "compress/...", "encoding/csv", "regexp/...", "text/..."],
	// What the library writes and reads for people: its loops are not those of a run.
	...["fmt", "time", "html", "log/...", "os", "io/...", "path/..."],
	...["iter", "container/...", "hash/...", "unique", "weak", "embed"],
	...["fmtsort", "poll", "testlog", "godebug", "godebugs", "bisect", "oserror", "syscall/...", "reflectlite", "saferio"].map((p) => `internal/${p}`),
	...["action/...", "agent/...", "ahead", "alike", "answer", "ask", "breath", "carrier", "chat", "community", "compare", "conversation", "debrief", "destination", "devicestore", "drift", "fault", "finding", "history", "hollow", "ids", "index", "inwords", "keyprint", "lease", "leftout", "limits", "llm/...", "memory", "modelstep", "moment", "network", "notepage", "notrun", "offer", "outbox", "outline", "pace", "pins", "planedit", "planner", "policy", "price", "prose", "quota", "reach", "regex", "related", "reuse", "runnable", "safeyaml", "sandbox", "saved", "secrets", "server", "shorten", "sight", "sorting", "storesize", "taint", "takeover", "timestamp", "tool/builtin/...", "trace", "underway", "usage", "version", "web", "webpage"].map((p) => `embedded-agent/wasm/internal/${p}`),
];

/** The compiler's flags that say where nothing is inlined. */
export const inlining = COLD.map((cold) => `-gcflags=${cold}=-l`);

/** Builds a js/wasm program (a package pattern such as "./wasm") into a file. */
export function buildWasm(pkg, out) {
	mkdirSync(dirname(out), { recursive: true });
	const args = ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", ...inlining];
	execFileSync("go", [...args, "-o", out, pkg], {
		cwd: root,
		env: goEnv({ wasm: true }),
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
	const bytes = filter(dropExamples(dropLines(mergeData(wasm)), join(root, "wasm/internal/tool/builtin")));
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

/** The decoder that goes with it: wasm, which zstddec carries in base64. */
export function decoderWasm() {
	const source = readFileSync(join(root, "node_modules/zstddec/dist/zstddec.mjs"), "utf8");
	const found = /const wasm = "([A-Za-z0-9+/=]+)"/.exec(source);
	if (!found) throw new Error("zstddec does not carry its wasm as it did: look at its new version");
	return Buffer.from(found[1], "base64");
}

/** The decoder as it ships: deflated, which main.js's worker undoes (bridge/module.ts). */
export function packedDecoder() {
	return deflateRawSync(decoderWasm(), { level: 9 });
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
	try {
		return readRelease();
	} catch (error) {
		throw new Error(`There is no ${toolchain()} here to build the core with, and ${error.message}. Install Go (https://go.dev/dl) and build again.`, { cause: error });
	}
}

/** wasm_exec.js of the installed Go. */
export function installedWasmExec() {
	const goroot = execFileSync("go", ["env", "GOROOT"], { cwd: root, encoding: "utf8", env: goEnv() }).trim();
	return readFileSync(join(goroot, "lib", "wasm", "wasm_exec.js"), "utf8");
}
