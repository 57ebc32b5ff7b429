import { describe, expect, it } from "vitest";
import { keyMeans, recall, type Key } from "./keys";

const key = (name: string, more: Partial<Key> = {}): Key => ({
	key: name,
	shiftKey: false,
	altKey: false,
	ctrlKey: false,
	metaKey: false,
	isComposing: false,
	keyCode: 0,
	...more,
});
const caret = (value: string, start = value.length, end = start) => ({
	value,
	selectionStart: start,
	selectionEnd: end,
});

describe("in the message", () => {
	const cases: [string, Key, ReturnType<typeof caret>, string][] = [
		["Enter runs", key("Enter"), caret("a"), "run"],
		["Shift+Enter breaks the line", key("Enter", { shiftKey: true }), caret("a"), ""],
		["Enter belongs to an input method that composes", key("Enter", { isComposing: true }), caret("に"), ""],
		["so does the Enter that ends the composition", key("Enter", { keyCode: 229 }), caret("に"), ""],
		["Escape stops", key("Escape"), caret("a"), "stop"],
		["Escape ends a composition first", key("Escape", { isComposing: true }), caret("に"), ""],
		["up recalls at the very start", key("ArrowUp"), caret("abc", 0), "older"],
		["up moves the caret elsewhere", key("ArrowUp"), caret("abc", 2), ""],
		["down recalls at the very end", key("ArrowDown"), caret("abc"), "newer"],
		["down moves the caret elsewhere", key("ArrowDown"), caret("abc", 1), ""],
		["a selection is kept", key("ArrowUp"), caret("abc", 0, 3), ""],
		["other keys write", key("a"), caret(""), ""],
	];
	it.each(cases)("%s", (_name, event, text, expected) => {
		expect(keyMeans(event, text)).toBe(expected);
	});

	const enters: [string, Key, boolean, string][] = [
		["Alt+Enter queues", key("Enter", { altKey: true }), false, "queue"],
		["Ctrl+Enter runs", key("Enter", { ctrlKey: true }), false, "run"],
		["Enter breaks the line when it is turned round", key("Enter"), true, ""],
		["Shift+Enter runs then", key("Enter", { shiftKey: true }), true, "run"],
		["Cmd+Enter runs then too", key("Enter", { metaKey: true }), true, "run"],
		["Shift+Enter belongs to an input method too", key("Enter", { shiftKey: true, keyCode: 229 }), true, ""],
	];
	it.each(enters)("%s", (_name, event, breaks, expected) => {
		expect(keyMeans(event, caret("a"), breaks)).toBe(expected);
	});
});

describe("recalling", () => {
	const said = ["first", "second"];
	it("goes back message by message and stops at the oldest", () => {
		expect(recall(said, -1, 1, "")).toEqual({ at: 0, text: "second" });
		expect(recall(said, 0, 1, "second")).toEqual({ at: 1, text: "first" });
		expect(recall(said, 1, 1, "first")).toBeNull();
	});
	it("comes forward again to the empty text", () => {
		expect(recall(said, 1, -1, "first")).toEqual({ at: 0, text: "second" });
		expect(recall(said, 0, -1, "second")).toEqual({ at: -1, text: "" });
	});
	it("loses nothing that was written", () => {
		expect(recall(said, -1, 1, "a new thought")).toBeNull();
		expect(recall(said, 0, 1, "second, changed")).toBeNull();
	});
});
