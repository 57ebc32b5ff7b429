import { describe, expect, it } from "vitest";
import { weaknesses } from "./audit.mjs";

describe("the audit of what ships", () => {
	const vulnerabilities = {
		svelte: { name: "svelte", severity: "high", range: "<5.0.1", via: [{ title: "Markup is not escaped" }] },
		vitest: { name: "vitest", severity: "critical", range: "*", via: ["vite"] },
	};

	it("tells the weaknesses of packages that are bundled, and no others", () => {
		expect(weaknesses({ vulnerabilities }, ["svelte", "style-mod"])).toEqual([
			"svelte <5.0.1: high: Markup is not escaped",
		]);
		expect(weaknesses({ vulnerabilities }, ["style-mod"])).toEqual([]);
	});

	it("fails where npm could not check", () => {
		expect(() => weaknesses({ message: "405 Method Not Allowed" }, ["svelte"])).toThrow(
			/could not check: 405/,
		);
		expect(() => weaknesses({}, ["svelte"])).toThrow(/could not check/);
	});
});
