import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finish } from "./build/bundle.mjs";
import { goEnv } from "./build/go.mjs";
import { headComment, listed, NOTICE } from "./build/notice.mjs";
import { licenceOf, notice } from "./notice.mjs";

const root = join(import.meta.dirname, "..");
const committed = readFileSync(NOTICE, "utf8");

describe("the notices of what is inside main.js", () => {
	it("are those of every module that is linked and every package that is bundled", async () => {
		expect(committed, "run `make generate`").toBe(await notice());
	}, 60_000);

	it("name every module of the core, as Go's linker has it", () => {
		const modules = execFileSync(
			"go",
			["list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./wasm"],
			{
				cwd: root,
				encoding: "utf8",
				env: goEnv({ wasm: true }),
			},
		);
		const linked = new Set(modules.split("\n").filter((path) => path.includes(".")));
		expect(linked.size).toBeGreaterThan(5);
		for (const path of linked)
			expect(
				listed(committed).some((line) => line.startsWith(`${path} `)),
				path,
			).toBe(true);
	});

	it.each([
		["Copyright 2009 The Go Authors.", "Redistribution and use in source and binary forms, with or without"],
		["Copyright (c) 2016-present, Yann Collet, Facebook, Inc.", "For Zstandard software"],
		["Apache License", "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"],
		["Permission is hereby granted, free of charge", "THE SOFTWARE IS PROVIDED"],
	])("have the texts in full: %s", (...sentences) => {
		for (const sentence of sentences) expect(committed).toContain(sentence);
	});

	it("say what was changed of another's work", () => {
		const line = listed(committed).find((name) => name.includes("jsonschema"));
		expect(line).toMatch(/Apache-2\.0, changed: third_party\/jsonschema\/README\.md/);
	});

	it("are named at the head of main.js, with all that is inside", () => {
		const main = finish('"use strict";');
		expect(main.startsWith(headComment())).toBe(true);
		const head = main.slice(0, main.indexOf("*/"));
		expect(head).toContain("the file NOTICE");
		for (const line of listed(committed)) expect(head).toContain(line);
	});

	it("know a licence by its words, and refuse one that nobody has read", () => {
		expect(licenceOf("Permission is hereby granted, free of charge, to any person")).toBe("MIT");
		expect(() => licenceOf("All rights reserved.")).toThrow(/nobody has read/);
	});
});
