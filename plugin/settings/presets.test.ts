import { describe, expect, it } from "vitest";
import { catalogue } from "../../i18n/catalogues";
import { choosePreset, keyPageOf, open, presetOf, presets } from "./presets";

describe("provider presets", () => {
	it.each(Object.keys(presets))("%s is what choosing it gives", (name) => {
		expect(presetOf(choosePreset(name))).toBe(name);
	});

	it.each([
		["xai", "https://api.x.ai/v1"],
		["openrouter", "https://openrouter.ai/api/v1"],
		["groq", "https://api.groq.com/openai/v1"],
		["mistral", "https://api.mistral.ai/v1"],
		["deepseek", "https://api.deepseek.com"],
	])("%s is asked where its documentation says, by Chat Completions", (name, address) => {
		expect(presets[name]).toEqual({ provider: "custom", baseUrl: address });
		expect(catalogue("en")[`settings.preset.${name}`]).toBeTruthy();
	});

	it("an address at Azure is Azure's, and the preset's own leads nowhere", () => {
		expect(presetOf({ provider: "custom", baseUrl: "https://mine.openai.azure.com/openai/v1" })).toBe(
			"azure",
		);
		expect(presetOf({ provider: "custom", baseUrl: "https://openai.azure.com.example/v1" })).toBe("custom");
		expect(new URL(presets["azure"]?.baseUrl ?? "").hostname).toContain("_");
	});

	it.each([
		["ollama", "http://127.0.0.1:11434/api/chat"],
		["gemini", "https://generativelanguage.googleapis.com/v1beta"],
	])("%s is asked by its own API, which the address says", (name, address) => {
		expect(presets[name]).toEqual({ provider: "custom", baseUrl: address });
	});

	it("the proxy is asked where it listens unless told otherwise, by the API that it was made for", () => {
		expect(presets["codex"]).toEqual({ provider: "openai", baseUrl: "http://127.0.0.1:8788/v1" });
	});

	it("an address that no preset has is a custom endpoint", () => {
		expect(presetOf({ provider: "custom", baseUrl: "http://10.0.0.2/v1" })).toBe("custom");
		expect(presetOf(choosePreset("custom"))).toBe("custom");
		expect(presetOf(choosePreset("text"))).toBe("text");
		expect(presetOf({ provider: "demo", baseUrl: "" })).toBe("demo");
	});

	it("an address of one's own for a known provider stays that provider", () => {
		expect(presetOf({ provider: "openai", baseUrl: "https://gateway.example/v1" })).toBe("openai");
	});

	it("an address that a preset had before is still the preset's", () => {
		expect(presetOf({ provider: "custom", baseUrl: "https://api.deepseek.com/v1" })).toBe("deepseek");
		expect(presetOf({ provider: "text", baseUrl: "https://api.deepseek.com/v1" })).toBe("text");
	});

	it("whoever sells access has a page where keys are made, on a host of its own; other addresses have none", () => {
		const pages = Object.keys(presets).map((name) => [name, keyPageOf(choosePreset(name))] as const);
		const remote = pages.filter(([name]) => !presets[name]?.baseUrl.startsWith("http://127.0.0.1:"));
		for (const [name, page] of pages.filter((one) => !remote.includes(one))) expect(page, name).toBe("");
		const hosts = remote.map(([, page]) => new URL(page).host);
		expect(hosts).toEqual([
			"platform.openai.com",
			"platform.claude.com",
			"openrouter.ai",
			"aistudio.google.com",
			"portal.azure.com",
			"console.x.ai",
			"console.groq.com",
			"console.mistral.ai",
			"platform.deepseek.com",
		]);
		for (const [name, page] of remote) expect(page, name).toMatch(/^https:\/\//);
		for (const name of open) expect(keyPageOf(choosePreset(name)), name).toBe("");
		expect(keyPageOf({ provider: "openai", baseUrl: "https://gateway.example/v1" })).toBe("");
		expect(keyPageOf({ provider: "custom", baseUrl: "https://mine.openai.azure.com/openai/v1" })).toBe(
			"https://portal.azure.com/",
		);
	});

	it("only machines of the person's own are asked without encryption", () => {
		const plain = Object.values(presets).filter((p) => p.baseUrl.startsWith("http:"));
		expect(plain.every((p) => p.baseUrl.startsWith("http://127.0.0.1:"))).toBe(true);
	});
});
