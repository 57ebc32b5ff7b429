import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";

import { lineBreak } from "./diff";

describe("an edit in the review keeps line ends", () => {
	const texts: [string, string][] = [
		["of Unix", "a\nb\n"],
		["of Windows", "a\r\nb\r\n"],
		["that are mixed", "a\r\nb\nc\r\n"],
		["of old Macs within others", "a\rb\nc"],
		["of an empty first line", "\n\r\n"],
		["of an empty note", ""],
	];
	it.each(texts)("%s", (_name, text) => {
		const state = EditorState.create({
			doc: text,
			extensions: EditorState.lineSeparator.of(lineBreak(text)),
		});
		expect(state.sliceDoc()).toBe(text);
	});
});
