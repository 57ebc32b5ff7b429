import { describe, expect, it } from "vitest";
import { firstRun, type Data } from "../data";
import {
	effortOf,
	fromControl,
	toControl,
	windowOf,
	withEffort,
	withWindow,
	type SettingKey,
} from "./values";

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
	const keys: Exclude<SettingKey, "preset">[] = [
		"denyPatterns",
		"redactPatterns",
		"keepBytes",
		"temperature",
		"model",
		"allowDeletes",
		"maxSteps",
	];
	it.each(keys)("%s", (key) => {
		expect(fromControl(data, key, toControl(data, key))).toEqual({ [key]: data[key] });
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
		expect(fromControl(firstRun, key, value)).toEqual(expected);
	});

	it("rates are lines of a tool and a number; what is neither is left out", () => {
		const rates = { "vault.createFile": 20, "*": 300 };
		const shown = toControl({ ...firstRun, callsPerMinute: rates }, "callsPerMinute");
		expect(shown).toBe("vault.createFile = 20\n* = 300");
		expect(fromControl(firstRun, "callsPerMinute", `${String(shown)}\nnonsense\nx = 0\n`)).toEqual({
			callsPerMinute: rates,
		});
	});

	it("an effort is that of one model of one provider", () => {
		const data: Data = { ...firstRun, model: "gpt-x" };
		const chosen: Data = { ...data, ...withEffort(data, "high") };
		expect(effortOf(chosen)).toBe("high");
		expect(effortOf({ ...chosen, model: "gpt-y" })).toBe("");
		expect(effortOf({ ...chosen, provider: "custom" })).toBe("");
		expect(effortOf({ ...chosen, ...withEffort(chosen, "") })).toBe("");
	});

	it("a window is that of one model of one provider, and what is no number takes it out", () => {
		const data: Data = { ...firstRun, model: "m", windows: { "custom m": 4096 } };
		const chosen: Data = { ...data, ...withWindow(data, "8192") };
		expect(windowOf(chosen)).toBe("8192");
		expect(windowOf({ ...chosen, provider: "custom" })).toBe("4096");
		expect(windowOf({ ...chosen, model: "other" })).toBe("");
		for (const typed of ["", "0", "-1", "many"])
			expect(withWindow(chosen, typed), typed).toEqual({ windows: { "custom m": 4096 } });
	});

	it("a preset is the provider and the address that it stands for", () => {
		expect(fromControl(firstRun, "preset", "ollama")).toMatchObject({
			provider: "custom",
			baseUrl: "http://127.0.0.1:11434/api/chat",
		});
		expect(
			toControl({ ...firstRun, provider: "custom", baseUrl: "http://127.0.0.1:1234/v1" }, "preset"),
		).toBe("lmstudio");
	});

	it("another provider never gets the key of the one before, and the one before gets its own back", () => {
		let data: Data = { ...firstRun, keyName: "openai-key" };
		for (const [preset, before] of [
			["anthropic", ""],
			["custom", ""],
			["groq", ""],
			["openai", "openai-key"],
			["groq", "groq-key"],
			["custom", "custom-key"],
			["text", ""],
			["anthropic", "anthropic-key"],
		] as const) {
			data = { ...data, ...fromControl(data, "preset", preset) };
			expect(data.keyName).toBe(before);
			data = { ...data, keyName: `${preset}-key` };
		}
	});
});
