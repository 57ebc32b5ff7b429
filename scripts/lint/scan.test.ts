import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findings, isRead, reviewer, scope } from "./scan.mjs";

const root = join(import.meta.dirname, "../..");

describe("the review of the official list", () => {
	it.each([
		["main.ts", true],
		["package.json", true],
		["bridge/protocol.gen.ts", true],
		["plugin/panel/controller.svelte.ts", true],
		["playground/run.ts", true],
		["test/playground/run.ts", false],
		["bridge/test/setup.ts", false],
		["i18n/index.ts", false],
		["scripts/build/words.d.mts", false],
		["plugin/data.test.ts", false],
		["svelte.config.mjs", false],
		["README.md", false],
	])("reads by its fixed list: %s: %s", (path, expected) => expect(isRead(path)).toBe(expected));

	it("reads what ships", () => {
		const files = scope();
		for (const path of ["main.ts", "package.json", "bridge/client.ts", "plugin/text/marks.gen.ts"])
			expect(files).toContain(path);
	});

	it("finds what is wrong in a source, and in the list of packages", async () => {
		const eslint = reviewer();
		const main = readFileSync(join(root, "main.ts"), "utf8");
		const source = await eslint.lintText(`${main}\nexport const x: any = eval("1");\nundeclared();\n`, {
			filePath: join(root, "main.ts"),
		});
		const rules = findings(source).join("\n");
		for (const rule of ["error no-eval", "warning @typescript-eslint/no-explicit-any", "warning no-undef"])
			expect(rules).toContain(rule);
		const packages = await eslint.lintText('{ "devDependencies": { "moment": "1.0.0" } }', {
			filePath: join(root, "package.json"),
		});
		expect(findings(packages).join("\n")).toContain("error depend/ban-dependencies");
	}, 60_000);
});
