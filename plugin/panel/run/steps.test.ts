import { describe, expect, it } from "vitest";
import type { CallView } from "../../protocol";
import { call } from "../../../test/dev/fixtures";
import { rowsOf, stepsOf } from "./steps";

const single = (n: number, stepId: string, status: CallView["status"] = "ok") =>
	call(n, { stepId, index: -1, status });
const keys = (rows: ReturnType<typeof rowsOf>) => rows.map((row) => row.key);

describe("the steps of a run", () => {
	const calls = [single(0, "read"), call(1), call(2, { status: "error" }), call(3, { status: "running" })];

	it("hold their calls, counted", () => {
		const [read, notes] = stepsOf(calls, false);
		expect(read).toMatchObject({ id: "read", loop: false, done: 1, over: true });
		expect(notes).toMatchObject({ id: "notes", loop: true, done: 1, failed: 1, running: 1, over: false });
	});

	it("are over when a later one has begun and nothing of them runs, or with the run", () => {
		const over = (more: typeof calls, ended: boolean) => stepsOf(more, ended).map((step) => step.over);
		expect(over(calls, false)).toEqual([true, false]);
		expect(over([...calls, single(9, "last")], false)).toEqual([true, false, false]);
		expect(over([call(1), single(9, "last")], false)).toEqual([true, false]);
		expect(over([call(1), single(9, "last")], true)).toEqual([true, true]);
	});
});

describe("the rows of the log", () => {
	const none = new Map<string, boolean>();

	it("show the calls of a loop while it goes on, and fold them when it is done", () => {
		const going = [single(0, "read"), call(1), call(2)];
		expect(keys(rowsOf(stepsOf(going, false), none))).toEqual(["call-0", "step:notes", "call-1", "call-2"]);
		expect(keys(rowsOf(stepsOf([...going, single(3, "last")], false), none))).toEqual([
			"call-0",
			"step:notes",
			"call-3",
		]);
	});

	it("keep a loop open in which something failed", () => {
		const failed = [call(1), call(2, { status: "error" })];
		expect(keys(rowsOf(stepsOf(failed, true), none))).toEqual(["step:notes", "call-1", "call-2"]);
	});

	it("are as the person wants them", () => {
		const done = stepsOf([call(1)], true);
		expect(keys(rowsOf(done, new Map([["notes", true]])))).toEqual(["step:notes", "call-1"]);
		const going = stepsOf([call(1)], false);
		expect(keys(rowsOf(going, new Map([["notes", false]])))).toEqual(["step:notes"]);
	});
});
