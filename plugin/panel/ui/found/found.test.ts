import { expect, it } from "vitest";
import { places } from "./found";

const cases: [string, string, ReturnType<typeof places>][] = [
	[
		"hits of a search",
		'{"truncated":false,"hits":[{"path":"a.md","line":3,"text":" x "}]}',
		[{ path: "a.md", line: "3", text: "x" }],
	],
	["files of a folder", '{"files":[{"path":"a.md","size":3}]}', [{ path: "a.md", line: "", text: "" }]],
	["nothing in an empty list", '{"hits":[]}', null],
	["nothing in commands", '{"commands":[{"id":"x","name":"X"}]}', null],
	["nothing in a list of which one has no path", '{"hits":[{"path":"a.md"},{"x":1}]}', null],
	["nothing in what was cut off", '{"hits":[{"path":"a.m…', null],
	["nothing in a list alone", "[1]", null],
];

it.each(cases)("finds %s", (_name, json, expected) => {
	expect(places(json)).toEqual(expected);
});
