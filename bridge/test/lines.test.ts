import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dropLines } from "../../scripts/build/lines.mjs";
import { mergeData } from "../../scripts/build/segments.mjs";
import { buildWasm } from "../../scripts/build/wasm.mjs";

/** Runs a module as Go's own tool does. */
function run(wasm: Uint8Array, folder: string) {
	const path = join(folder, "crash.wasm");
	writeFileSync(path, wasm);
	const goroot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
	return spawnSync("node", [join(goroot, "lib/wasm/wasm_exec_node.js"), path], {
		encoding: "utf8",
		env: { PATH: process.env["PATH"] },
	});
}

it("a program without lines collects, unwinds and recovers as it did, and names its functions when it dies", () => {
	const folder = mkdtempSync(join(tmpdir(), "crash-"));
	try {
		const whole = mergeData(
			readFileSync(buildWasm("./bridge/test/testdata/crash", join(folder, "whole.wasm"))),
		);
		const before = run(whole, folder);
		expect(before.stderr).toMatch(/main\.go:\d+/);

		const less = dropLines(Buffer.from(whole));
		expect(less.length).toBe(whole.length);
		const zeros = (bytes: Uint8Array) => bytes.reduce((n, byte) => n + (byte === 0 ? 1 : 0), 0);
		expect(zeros(less) - zeros(whole)).toBeGreaterThan(50_000);
		const after = run(less, folder);
		expect(after.stdout).toBe("worked\n");
		expect(after.status).toBe(before.status);
		expect(after.stderr).toContain("index out of range [3] with length 0");
		expect(after.stderr).toMatch(/main\.fall\(/);
		expect(after.stderr).toMatch(/main\.main\(/);
		expect(after.stderr).not.toContain(".go:");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

it("a module that is not Go's is left alone, and one whose tables are of another kind is refused", () => {
	const other = Buffer.from("no tables here");
	expect(dropLines(Buffer.from(other))).toEqual(other);
	const strange = Buffer.alloc(200);
	strange.set([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8], 16);
	strange.writeUInt32LE(5, 24);
	strange.writeUInt32LE(90, 16 + 32);
	expect(() => dropLines(strange)).toThrow("not as scripts/build/lines.mjs knows them");
});
