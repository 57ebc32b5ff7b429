import { describe, expect, it } from "vitest";
import { fileView } from "../../../../test/dev/fixtures";
import type { Hunk } from "../../../protocol";
import { hunksOrDrop, placeHunks, turnRound } from "./hunks";

function hunk(from: number, removed: string[], added: string[], rejected = false): Hunk {
	return {
		beforeFrom: from,
		beforeTo: from + removed.length,
		afterFrom: from,
		afterTo: from + added.length,
		removed,
		added,
		rejected,
	};
}

describe("a hunk's place", () => {
	it("is where the plan's text has it, when nothing is rejected", () => {
		const view = fileView("a.md", {
			after: "a\nB1\nB2\nc\nD\n",
			hunks: [hunk(1, ["b"], ["B1", "B2"]), { ...hunk(4, ["d"], ["D"]), beforeFrom: 3 }],
		});
		expect(placeHunks(view).map((p) => p.line)).toEqual([1, 4]);
	});

	it("moves up by what a rejected hunk before it leaves out", () => {
		const view = fileView("a.md", {
			after: "a\nb\nc\nD\n",
			hunks: [hunk(1, ["b"], ["B1", "B2"], true), { ...hunk(4, ["d"], ["D"]), beforeFrom: 3 }],
		});
		expect(placeHunks(view).map((p) => p.line)).toEqual([1, 3]);
	});

	it("stays inside of the text", () => {
		const view = fileView("a.md", { after: "", hunks: [hunk(9, ["x"], [])] });
		expect(placeHunks(view)[0]?.line).toBe(0);
	});

	it("is found where Go sent no lists", () => {
		expect(placeHunks({ ...fileView("a.md"), hunks: null } as never)).toEqual([]);
	});
});

it("turning a hunk round rejects it, or takes the rejection back", () => {
	const view = fileView("a.md", { hunks: [hunk(0, ["a"], ["b"], true), hunk(3, ["c"], ["d"])] });
	expect(turnRound(view, 1)).toEqual([0, 1]);
	expect(turnRound(view, 0)).toEqual([]);
});

it("leaving out every hunk leaves out the file, which stays in sight that way", () => {
	const view = fileView("a.md", { hunks: [hunk(0, ["a"], ["b"]), hunk(3, ["c"], ["d"])] });
	expect(hunksOrDrop(view, [1])).toEqual({ kind: "hunks", path: "a.md", rejected: [1] });
	expect(hunksOrDrop(view, [0, 1])).toEqual({ kind: "drop", path: "a.md" });
});
