// What scripts/build/examples.mjs takes out of the core: the examples of the tools' pages, and nothing else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dropExamples } from "../../scripts/build/examples.mjs";

const folder = join(import.meta.dirname, "../../wasm/internal/tool/builtin");
const page = (name: string) => readFileSync(join(folder, `${name}.md`), "utf8");

/** A module that holds all pages that it is given. */
function moduleOf(pages: string[]): Buffer {
	return Buffer.from(`before ${pages.join("|")} after`);
}

const names = ["vault.query", "tags.add"];

test("examples are gone, heads stay, and nothing moves", () => {
	const all = readdirSync(folder).filter((name) => name.endsWith(".md"));
	const whole = moduleOf(all.map((name) => readFileSync(join(folder, name), "utf8")));
	const less = dropExamples(Buffer.from(whole), folder);
	expect(less.length).toBe(whole.length);
	for (const name of names) {
		const [head = "", examples = ""] = page(name).split("\n## Examples\n");
		expect(less.includes(`${head}\n## Examples\n `)).toBe(true);
		expect(whole.includes(examples)).toBe(true);
		expect(less.includes(examples.slice(0, 60))).toBe(false);
	}
	expect(less.subarray(-6).toString()).toBe(" after");
});

test("a module that is not the core's stays as it is", () => {
	const other = Buffer.from("no page\n## Examples\nof a tool");
	expect(dropExamples(Buffer.from(other), folder)).toEqual(other);
});

test("pages that are not in the core as they are end the build", () => {
	expect(() => dropExamples(moduleOf([page("vault.query")]), folder)).toThrow("tags.add.md");
});
