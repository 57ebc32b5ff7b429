import { afterEach, describe, expect, it } from "vitest";
import { setLanguage } from "../../../i18n";
import type { RunSummary } from "../../protocol";
import { byDay } from "./days";

afterEach(() => {
	setLanguage("en");
});

const now = new Date(2026, 10, 23, 9, 30);
const run = (name: string, at: Date | null) =>
	({ run: name, startedAt: at ? at.toISOString() : "" }) as RunSummary;
const told = (runs: RunSummary[]) => byDay(runs, now).map((d) => [d.name, ...d.runs.map((r) => r.run)]);

describe("the days of the history", () => {
	it("are those of this place: one minute before midnight is the day before", () => {
		const runs = [
			run("c", new Date(2026, 10, 23, 0, 0)),
			run("b", new Date(2026, 10, 22, 23, 59)),
			run("a", new Date(2026, 10, 22, 0, 0)),
			run("old", new Date(2026, 9, 31, 12, 0)),
		];
		expect(told(runs)).toEqual([
			["Today", "c"],
			["Yesterday", "b", "a"],
			["Saturday, October 31, 2026", "old"],
		]);
	});

	it("take a run that does not say when it was to the one before it", () => {
		const runs = [run("b", new Date(2026, 10, 23, 8, 0)), run("a", null)];
		expect(told(runs)).toEqual([["Today", "b", "a"]]);
		expect(told([run("a", null)])).toEqual([["", "a"]]);
	});

	it("are named in the language of the app", () => {
		setLanguage("de");
		expect(told([run("a", new Date(2026, 9, 31, 12, 0))])).toEqual([["Samstag, 31. Oktober 2026", "a"]]);
	});
});
