import { expect, it } from "vitest";
import { firstRun } from "./data";
import { KeptSettings } from "./kept-settings";

const read = (file: unknown) => KeptSettings.read(file);

it("fields that this version does not know, and values that it cannot read, stay in the file", () => {
	const newer = {
		provider: "anthropic",
		effort: { planner: "high" },
		keepDays: "three weeks",
		confirm: "always",
	};
	const settings = read(newer);
	expect(settings.data).toMatchObject({ provider: "anthropic", keepDays: firstRun.keepDays });
	expect(settings.data).not.toHaveProperty("effort");
	const { file } = settings.with({ allowDeletes: true });
	expect(file).toMatchObject({ ...newer, allowDeletes: true });
	// A setting that a person makes here replaces one that could not be read.
	expect(settings.with({ keepDays: 7 }).file["keepDays"]).toBe(7);
});

it("changes that two devices made of different fields are both kept, in either order of arrival", () => {
	const base = read({}).with({ provider: "openai", allowHttp: false }, 1000);
	const a = base.with({ provider: "anthropic" }, 2000);
	const b = base.with({ allowHttp: true }, 3000);
	for (const merged of [a.merge(b), b.merge(a)])
		expect(merged.data).toMatchObject({ provider: "anthropic", allowHttp: true });
	expect(a.merge(b).equals(b.merge(a))).toBe(true);
	expect(a.merge(b).merge(b).equals(a.merge(b))).toBe(true);
});

it("of one field the later change holds, and a change is later than all that it was made upon", () => {
	const early = read({}).with({ model: "a" }, 5000);
	const late = early.with({ model: "b" }, 10); // a clock that is behind
	expect(early.merge(late).data.model).toBe("b");
	expect(late.merge(early).data.model).toBe("b");
});

it("a field that was changed by hand, without a time, is taken as it stands", () => {
	const kept = read({}).with({ provider: "openai" }, 1000);
	expect(kept.merge(read({ ...kept.file, model: "typed" })).data.model).toBe("typed");
});

it("so is one of a field that has a time: the file has the same one", () => {
	const kept = read({}).with({ model: "set here" }, 1000);
	for (const model of ["a", "z"]) expect(kept.merge(read({ ...kept.file, model })).data.model).toBe(model);
});

it("a damaged file is as none", () => {
	for (const file of [null, "text", [1], { changed: "x" }, { changed: { model: "soon" } }])
		expect(read(file).data).toEqual(firstRun);
});

it("what was saved here comes back from the file as it was: nothing is new about it", () => {
	const before = read({}).with({ model: "a" }, 1).with({ provider: "openai" }, 2);
	const now = before.with({ maxSteps: 3 }, 3).with({ model: "b" }, 4);
	const file = JSON.parse(JSON.stringify(before.file)) as unknown;
	expect(now.merge(read(file)).equals(now)).toBe(true);
});
