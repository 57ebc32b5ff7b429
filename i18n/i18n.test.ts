import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { catalogue, first, languages } from "./catalogues";
import { bytes, currentLanguage, day, duration, setLanguage, t, when } from "./index";

afterEach(() => {
	setLanguage("en");
});

const english = catalogue("en");

const base = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, "");
const placeholders = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]))].sort();

const same = (one = "", other = "") =>
	JSON.stringify(placeholders(one).filter((p) => p !== "n")) ===
	JSON.stringify(placeholders(other).filter((p) => p !== "n"));

describe("t", () => {
	it("puts parameters in once: a value that holds braces is not expanded again", () => {
		expect(t("error.vault.exists", { path: "{path} {x}" })).toBe("“{path} {x}” already exists.");
	});

	it("chooses the plural form by n, as text or as a number", () => {
		expect(t("panel.files", { n: "1" })).toBe("1 file");
		expect(t("panel.files", { n: 12 })).toBe("12 files");
		expect(t({ key: "panel.files", params: { n: "0" } })).toBe("0 files");
	});

	it("names one thing also in a language whose plural rules do not set one apart", () => {
		setLanguage("zh-CN");
		expect(t("review.create", { n: "1", path: "a.md" })).toBe("将创建 a.md");
		expect(t("review.create", { n: "3" })).toBe("将创建 3 篇笔记");
	});

	it("shows a key without words as it is", () => {
		expect(t("no.such.key", { a: "b" })).toBe("no.such.key");
	});

	it("speaks English where there is no catalogue", () => {
		for (const code of ["tlh", "zh-TW", "", "en-GB"]) expect(setLanguage(code), code).toBe("en");
		expect(currentLanguage()).toBe("en");
	});

	it("finds a language by its base, and Simplified Chinese by the app's own code", () => {
		expect(setLanguage("de-AT")).toBe("de");
		expect(setLanguage("zh")).toBe("zh-CN");
		expect(setLanguage("zh-Hans")).toBe("zh-CN");
	});
});

describe("amounts", () => {
	it("are said in the units that people read", () => {
		expect(bytes(999)).toBe("999 bytes");
		expect(bytes(1_250_000)).toBe("1.3 MB");
		expect(duration(45)).toBe("45 ms");
		expect(duration(2345)).toBe("2.3 sec");
		expect(duration(240_000)).toBe("4 min");
		expect(when("not a time")).toBe("");
	});
});

describe("the catalogues", () => {
	const others = languages.filter((tag) => tag !== "en");

	it.each(languages)("hold every word of the files of %s, and no other", (tag) => {
		const folder = join(import.meta.dirname, tag);
		const words = readdirSync(folder).map(
			(name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, string>,
		);
		expect(catalogue(tag)).toEqual(Object.assign({}, ...words));
	});

	it.each(languages)("has the names of commands in %s at once, and as they are in its files", (tag) => {
		const words = Object.entries(first[tag] ?? {});
		expect(words.length).toBeGreaterThan(3);
		for (const [key, text] of words) expect(catalogue(tag)[key]).toBe(text);
	});

	it.each(others)("have the same keys in %s as in English", (tag) => {
		const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
		const plural = new Set(
			Object.keys(english)
				.filter((k) => k.endsWith("_other"))
				.map(base),
		);
		// A form for one thing that names it is needed where the plural rules have none.
		const named = (k: string) => !same(english[`${k}_one`], english[`${k}_other`]);
		const expected = [...new Set(Object.keys(english).map(base))].flatMap((k) =>
			plural.has(k)
				? [...new Set([...forms, ...(named(k) ? ["one"] : [])])].map((form) => `${k}_${form}`)
				: [k],
		);
		expect(Object.keys(catalogue(tag)).sort()).toEqual(expected.sort());
	});

	it.each(others)("put the same parameters in, in %s as in English", (tag) => {
		const differing = Object.entries(catalogue(tag)).filter(([key, text]) => {
			const source = english[key] ?? english[`${base(key)}_other`] ?? "";
			// A form for exactly one may say it in words.
			const want = placeholders(source).filter(
				(name) => !(key.endsWith("_one") && name === "n" && !text.includes("{n}")),
			);
			return JSON.stringify(placeholders(text)) !== JSON.stringify(want);
		});
		expect(differing).toEqual([]);
	});
});

describe("the panel's words", () => {
	it("are all in the catalogue: every key that the sources name has words", () => {
		const missing: string[] = [];
		for (const file of sources(join(import.meta.dirname, "../plugin"))) {
			for (const [, key] of readFileSync(file, "utf8").matchAll(/"((?:panel|chat|settings)\.[\w.-]+)"/g)) {
				if (key && english[key] === undefined && english[`${key}_other`] === undefined)
					missing.push(`${file}: ${key}`);
			}
		}
		expect(missing).toEqual([]);
	});
});

function sources(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) return sources(path);
		return /\.(ts|svelte)$/.test(entry.name) && !entry.name.includes(".test.") ? [path] : [];
	});
}

describe("day", () => {
	it("is a date for names, the same in every language", () => {
		for (const tag of languages) {
			setLanguage(tag);
			expect(day(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
		}
	});
});
