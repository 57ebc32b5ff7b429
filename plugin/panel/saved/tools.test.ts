import { describe, expect, it } from "vitest";
import { tool } from "../../../test/dev/fixtures";
import { categories, inShort, pick, toggled } from "./tools";

const tools = [
	tool("vault.readFile", { category: "data", description: "Reads a note." }),
	tool("http.request", { category: "web", description: "Asks a web address.", pinned: true }),
	tool("vault.oldRead", { category: "data", lifecycle: "deprecated" }),
];
const names = (text: string, category = "", deprecated = false) =>
	pick(tools, { text, category, deprecated }).map((t) => t.name);

describe("the tool selector", () => {
	it("shows pinned tools first, and hides deprecated ones until they are asked for", () => {
		expect(names("")).toEqual(["http.request", "vault.readFile"]);
		expect(names("", "", true)).toEqual(["http.request", "vault.readFile", "vault.oldRead"]);
	});

	it("finds by every word of name, category and description, and by category", () => {
		expect(names("READ note")).toEqual(["vault.readFile"]);
		expect(names("web")).toEqual(["http.request"]);
		expect(names("", "data")).toEqual(["vault.readFile"]);
		expect(names("nothing")).toEqual([]);
		expect(categories(tools)).toEqual(["data", "web"]);
	});

	it("puts a name in or takes it out", () => {
		expect([toggled(["a"], "b"), toggled(["a", "b"], "a"), toggled(null, "a")]).toEqual([
			["a", "b"],
			["b"],
			["a"],
		]);
	});

	it("says a tool in its first sentence", () => {
		expect(inShort("Reads v1.2 of a note. Gives `text`.")).toBe("Reads v1.2 of a note.");
		expect(inShort("No full stop")).toBe("No full stop");
	});
});
