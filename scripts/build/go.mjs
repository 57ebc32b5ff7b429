// Which Go builds the core. Each version of the compiler gives other bytes, also
// two that differ in the last number alone, so it is one: that of the line
// `toolchain` in go.mod. A `go` of another version fetches it by itself.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The pinned version, as GOTOOLCHAIN takes it: "go1.2.3". */
export function toolchain() {
	const found = /^toolchain (go[\d.]+)$/m.exec(readFileSync(join(root, "go.mod"), "utf8"));
	if (!found) throw new Error("go.mod has no line `toolchain`: the core's bytes would depend on the machine");
	return found[1];
}

/**
 * The environment for a `go` that makes what ships. `wasm` is for js/wasm. Flags
 * and a workspace of whoever builds have no say in it.
 */
export function goEnv({ wasm = false } = {}) {
	const target = wasm ? { GOOS: "js", GOARCH: "wasm", GOWASM: "", GOEXPERIMENT: "" } : {};
	return { ...process.env, GOFLAGS: "", GOWORK: "off", GOTOOLCHAIN: toolchain(), ...target };
}

/** Says whether there is a Go to build with: of the pinned version, or able to fetch it. */
export function hasGo() {
	const said = spawnSync("go", ["version"], { cwd: root, encoding: "utf8", env: goEnv() });
	return said.status === 0 && said.stdout.includes(` ${toolchain()} `);
}
