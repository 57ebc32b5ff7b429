import { describe, expect, it } from "vitest";
import { coreSettings, firstRun, readData } from "./data";

describe("data.json", () => {
	it("gives the first run's settings where there is none", () => {
		expect(readData(null)).toEqual(firstRun);
	});

	it("keeps what the person chose", () => {
		const data = readData({
			provider: "anthropic",
			allowDeletes: true,
			keepDays: 7,
			allowedRoots: ["Projects"],
		});
		expect(data).toMatchObject({
			provider: "anthropic",
			allowDeletes: true,
			keepDays: 7,
			allowedRoots: ["Projects"],
		});
	});

	it("takes nothing of the wrong kind, so that a damaged file opens no guard", () => {
		const data = readData({
			allowDeletes: "yes",
			denyPatterns: [1],
			keepDays: "7",
			palette: [{ id: 1 }],
			confirm: null,
		});
		expect(data).toEqual(firstRun);
	});

	it("talks to the playground's demonstration model in a fresh vault only", () => {
		expect(readData({ demoModelUrl: "http://127.0.0.1:1" }).provider).toBe("demo");
		expect(readData({ demoModelUrl: "http://127.0.0.1:1", provider: "openai" }).provider).toBe("openai");
	});

	it("tells the core the settings, with the demonstration's address under the core's name", () => {
		const settings = coreSettings(
			readData({ demoModelUrl: "http://127.0.0.1:1", palette: [{ id: "a", name: "A" }] }),
		);
		expect(settings.demoUrl).toBe("http://127.0.0.1:1");
		expect(settings).not.toHaveProperty("palette");
		expect(settings).not.toHaveProperty("demoModelUrl");
	});

	it("never holds a key, only its name", () => {
		expect(Object.keys(firstRun).filter((key) => /key|secret|token/i.test(key))).toEqual([
			"keyName",
			"maxTokens",
			"agentTokens",
			"secrets",
			"keyNames",
		]);
	});
});
