import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foreignModules, manifestProblems, versionProblems } from "./releasecheck.mjs";

const json = (name: string) =>
	JSON.parse(readFileSync(join(import.meta.dirname, "..", name), "utf8")) as Record<string, unknown>;

const release = {
	manifest: { version: "1.2.0", minAppVersion: "1.13.7" },
	packageJson: { version: "1.2.0" },
	versions: { "1.2.0": "1.13.7" },
	tags: ["1.2.0"],
};

describe("a release", () => {
	it("is made where every version agrees, and before it is tagged", () => {
		expect(versionProblems(release)).toEqual([]);
		expect(versionProblems({ ...release, tags: [] })).toEqual([]);
	});

	it.each([
		["package.json", { packageJson: { version: "1.1.0" } }],
		["versions.json", { versions: { "1.2.0": "1.12.0" } }],
		["versions.json", { versions: {} }],
		["tagged v1.2.0", { tags: ["v1.2.0"] }],
		["not three numbers", { manifest: { version: "v1.2", minAppVersion: "1.13.7" } }],
	])("is refused for %s", (what, change) => {
		expect(versionProblems({ ...release, ...change }).join("; ")).toContain(what);
	});

	it("of this project could be made: its versions and its manifest hold", () => {
		const manifest = json("manifest.json") as { version: string; minAppVersion: string };
		const versions = json("versions.json") as Record<string, string>;
		const packageJson = json("package.json") as { version: string };
		expect(versionProblems({ manifest, packageJson, versions, tags: [] })).toEqual([]);
		expect(manifestProblems(manifest)).toEqual([]);
	});

	it("has a manifest that the community's review takes", () => {
		const manifest = json("manifest.json");
		for (const [change, what] of [
			[{ id: "obsidian-agent" }, "id"],
			[{ id: "agent-plugin" }, "id"],
			[{ description: "No full stop" }, "description"],
			[{ extra: 1 }, "key extra"],
			[{ isDesktopOnly: undefined }, "isDesktopOnly"],
		] as const)
			expect(manifestProblems({ ...manifest, ...change }).join("; "), what).toContain(what);
	});

	it("asks for no module that a phone has not", () => {
		const main = `const a=require("obsidian"),b=require("@codemirror/view"),c=require("fs"),d=require('electron');`;
		expect(foreignModules(main)).toEqual(["fs", "electron"]);
	});
});
