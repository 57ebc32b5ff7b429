import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderInMemory } from "./build/memory.mjs";

const root = join(import.meta.dirname, "..");

// The stages call tools by name: here these are programs that say what the tools would.
describe.skipIf(process.platform === "win32")("the stages of the checks", () => {
	let tools: string;
	beforeEach(() => {
		tools = mkdtempSync(join(tmpdir(), "stages-"));
	});
	afterEach(() => rmSync(tools, { recursive: true }));

	function tool(name: string, script: string): void {
		writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`);
		chmodSync(join(tools, name), 0o755);
	}

	function run(...stages: string[]): { lines: string[]; status: number | null } {
		const env = { ...process.env, PATH: `${tools}:${process.env["PATH"] ?? ""}`, COUNTS: "", TMPDIR: "" };
		const { stdout, status } = spawnSync(process.execPath, ["scripts/stages.mjs", ...stages], {
			cwd: root,
			env,
			encoding: "utf8",
		});
		return { lines: stdout.trimEnd().split("\n"), status };
	}

	it("each print how long they took, also one that fails, and those after it have their turn", () => {
		tool("npx", '[ "$1" = prettier ] && { echo "[warn] a.ts"; exit 1; }; exit 0');
		const { lines, status } = run("prettier", "eslint");
		expect(status).toBe(1);
		expect(lines).toContainEqual(expect.stringMatching(/^== prettier: FAILED .* \d+\.\ds, processor /));
		expect(lines).toContainEqual(expect.stringMatching(/^== eslint: ok .* \d+\.\ds, processor /));
	});

	it.skipIf(folderInMemory({}).TMPDIR === undefined)("write into memory, and leave nothing there", () => {
		tool("npx", 'touch "$TMPDIR/left"; echo "in $TMPDIR"');
		const folder = run("prettier").lines[0]?.slice("in ".length) ?? "";
		expect(folder).toMatch(/^\/dev\/shm\//);
		expect(existsSync(folder)).toBe(false);
	});

	it("say the reason of a failure last, above the count", () => {
		tool("npx", '[ "$1" = prettier ] && { echo "[warn] a.ts"; exit 1; }; echo fine');
		expect(run("prettier", "eslint").lines.slice(-3)).toEqual([
			"  [warn] a.ts",
			"in stage prettier",
			"1 passed, 1 failed",
		]);
	});

	it("name a Go test that failed, and what it said, after all that came later", () => {
		const events = [
			{ Action: "output", Package: "p", Test: "TestX", Output: "    x_test.go:7: 1 is not 2\n" },
			{ Action: "fail", Package: "p", Test: "TestX" },
			{ Action: "pass", Package: "p", Test: "TestY" },
			{ Action: "pass", Package: "q" },
		];
		const said = events.map((event) => `echo '${JSON.stringify(event).replace("\\n", "\\\\n")}'`);
		tool(
			"go",
			`case "$1" in list) echo "p ${root}/wasm/internal/ids";; test) ${said.join("; ")}; exit 1;; esac`,
		);
		const { lines, status } = run("go");
		expect(status).toBe(1);
		expect(lines.slice(-4)).toEqual([
			"p TestX",
			"  x_test.go:7: 1 is not 2",
			"in stage go",
			"1 passed, 1 failed",
		]);
	});

	it("that are not there are refused", () => {
		expect(run("no-such-stage").status).toBe(2);
	});
});
