import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

interface Wanted {
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}
interface Lock {
	packages: Record<string, Wanted & { version?: string; integrity?: string }>;
}

const root = join(import.meta.dirname, "..");
const locks = execFileSync(
	"git",
	["ls-files", "--cached", "--others", "--exclude-standard", "*package-lock.json"],
	{ cwd: root, encoding: "utf8" },
)
	.split("\n")
	.filter(Boolean);
const json = <T>(path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as T;
const all = (of: Wanted) => ({ ...of.dependencies, ...of.devDependencies, ...of.optionalDependencies });

// npm writes a lock without an optional package that its registry lacks, and refuses that lock at the next `npm ci`.
describe.each(locks)("%s", (path) => {
	const wanted = all(json<Wanted>(join(dirname(path), "package.json")));
	const { packages } = json<Lock>(path);

	it("holds each package that is wanted, in the version that is wanted", () => {
		const held = Object.keys(wanted).map((name) => [name, packages[`node_modules/${name}`]?.version]);
		expect(Object.fromEntries(held)).toEqual(wanted);
		expect(all(packages[""] ?? {})).toEqual(wanted);
	});

	it("knows each package by its contents", () => {
		const without = Object.entries(packages).filter(([name, { integrity }]) => name !== "" && !integrity);
		expect(without.map(([name]) => name)).toEqual([]);
	});
});
