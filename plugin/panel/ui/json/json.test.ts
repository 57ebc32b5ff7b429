import { describe, expect, it } from "vitest";
import { readable } from "./json";

describe("a JSON value to be read", () => {
	it("shows a script line by line, beside the rest of the arguments", () => {
		const json = JSON.stringify({ script: "def f(x):\n  return x\n", input: { a: 1 } });
		expect(readable(json)).toEqual({
			text: '{\n  "input": {\n    "a": 1\n  }\n}',
			long: [{ name: "script", text: "def f(x):\n  return x\n" }],
		});
	});

	it("shows nothing twice where there is only a long text", () => {
		expect(readable('{"content":"a\\nb"}')).toEqual({ text: "", long: [{ name: "content", text: "a\nb" }] });
	});

	it("leaves one line, lists, and what is no JSON as they are", () => {
		expect(readable('{"path":"a.md"}')).toEqual({ text: '{\n  "path": "a.md"\n}', long: [] });
		expect(readable("{}").text).toBe("{}");
		expect(readable("[1]").text).toBe("[\n  1\n]");
		expect(readable('{"content":"cut …').text).toBe('{"content":"cut …');
	});
});
