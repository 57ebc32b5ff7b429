import { describe, expect, it } from "vitest";
import { firstRun, type Data } from "./data";
import { fromControl, toControl, type SettingKey } from "./setting-values";

describe("a setting survives its control", () => {
	const data: Data = {
		...firstRun,
		denyPatterns: ["Private/**", "*.secret.md"],
		keepBytes: 250_000_000,
		temperature: 0.7,
		model: "gpt-x",
		allowDeletes: true,
		maxSteps: 50,
	};
	const keys: SettingKey[] = [
		"denyPatterns",
		"redactPatterns",
		"keepBytes",
		"temperature",
		"model",
		"allowDeletes",
		"maxSteps",
	];
	it.each(keys)("%s", (key) => {
		expect(fromControl(key, toControl(data, key))).toEqual({ [key]: data[key] });
	});
});

describe("what is typed", () => {
	const cases: [string, SettingKey, unknown, Partial<Data>][] = [
		[
			"loses empty lines and blanks around patterns",
			"denyPatterns",
			" a \n\n b",
			{ denyPatterns: ["a", "b"] },
		],
		["loses blanks around an address", "baseUrl", " http://x ", { baseUrl: "http://x" }],
		["may have a decimal comma", "temperature", "0,5", { temperature: 0.5 }],
		["may be taken out again", "temperature", "", { temperature: undefined }],
	];
	it.each(cases)("%s", (_name, key, value, expected) => {
		expect(fromControl(key, value)).toEqual(expected);
	});
});
