import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolchain } from "./build/go.mjs";
import { sourcesHash } from "./build/release-copy.mjs";

const root = join(import.meta.dirname, "..");

describe("the hash of the core's sources", () => {
	let folder = "";
	let before = "";
	const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), "sources-"));
		for (const name of [
			"wasm/a/testdata",
			"i18n/en",
			"third_party/x",
			"scripts",
			"node_modules/@bokuweb/zstd-wasm",
		])
			mkdirSync(join(folder, name), { recursive: true });
		cpSync(join(root, "scripts/build"), join(folder, "scripts/build"), { recursive: true });
		for (const name of ["go.mod", "go.sum", "node_modules/@bokuweb/zstd-wasm/package.json"])
			cpSync(join(root, name), join(folder, name));
		write("wasm/a/a.go", "package a\n");
		write("third_party/x/x.go", "package x\n");
		write("i18n/en/bundled.json", "{}\n");
		before = sourcesHash(folder);
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it.each([
		["wasm/a/a_test.go", "package a\n"],
		["wasm/a/testdata/golden.txt", "x"],
		["i18n/index.ts", "export {};\n"],
		["wasm/a/a.go", "package a\r\n"],
	])("stays with a test, its data, TypeScript, or other ends of lines: %s", (name, text) => {
		write(name, text);
		expect(sourcesHash(folder)).toBe(before);
	});

	it.each([
		["wasm/a/b.go", "package a\n"],
		["wasm/a/a.md", "What a model reads.\n"],
		["i18n/en/bundled.json", '{"a":"b"}\n'],
		["third_party/x/x.go", "package x // changed\n"],
		["go.mod", "module other\n"],
		["scripts/build/wasm.mjs", "// other flags\n"],
		["node_modules/@bokuweb/zstd-wasm/package.json", '{"version":"9.9.9"}\n'],
	])("changes with whatever the core is made of: %s", (name, text) => {
		write(name, text);
		const after = sourcesHash(folder);
		expect(after).not.toBe(before);
		before = after;
	});
});

it("the Go that builds is one version, which satisfies the module", () => {
	const needed = /^go ([\d.]+)$/m.exec(readFileSync(join(root, "go.mod"), "utf8"))?.[1] ?? "";
	expect(toolchain()).toMatch(/^go\d+\.\d+\.\d+$/);
	expect(toolchain().slice(2).localeCompare(needed, "en", { numeric: true })).toBeGreaterThanOrEqual(0);
});
