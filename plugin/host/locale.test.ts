/** The tables that the core gets, and what Moment writes with them: the golden file of the core's own tests. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, expect, test } from "vitest";
import { localeOf } from "./locale";

const require = createRequire(import.meta.url);
const moment = require("moment") as typeof import("moment");
require("moment/min/locales");

afterAll(() => void moment.locale("en"));

const golden = new URL("../../wasm/internal/moment/momenttest/locales.json", import.meta.url);

/** Those that people see most, and one of each kind that is unlike them: other digits, forms, conditions, parts of a day. */
const languages = "en de zh-cn fr pl ar es nl el ru uk lt be ca ka hi ko ja fa pt-br cs hu".split(" ");

const formats = [
	"YYYY-MM-DD dddd",
	"gggg-[W]ww",
	"GGGG-[W]WW e E d",
	"Do MMMM YYYY",
	"D MMMM",
	"MMMM YYYY",
	"MMM YYYY",
	"D-MMM-YYYY",
	"dddd, D. MMMM YYYY",
	"dddd HH:mm",
	"ddd dd do wo Wo Mo Qo DDDo",
	"h:mm a",
	"hh:mm A",
	"L LT",
	"LL",
	"LLL",
	"LLLL",
	"l ll",
	"lll",
	"llll",
	"[a], D/M/YY",
	"YYYY [года] MMMM",
];

const times = [
	"2026-11-22T09:05:07",
	"2026-11-23T00:30:00",
	"2026-12-31T12:00:00",
	"2027-01-01T11:45:00",
	"2027-01-03T18:00:00",
	"2024-12-29T05:59:00",
	"2024-12-30T13:07:00",
	"2023-01-01T23:59:59",
	"2022-12-31T08:15:00",
	"2021-01-03T09:00:00",
	"2020-02-29T06:00:00",
	"2026-08-08T12:29:00",
	"2026-03-01T12:31:00",
	"2026-05-21T20:20:20",
];

function computed(): unknown[] {
	return languages.map((language) => {
		moment.locale(language);
		return {
			locale: localeOf(moment),
			written: times.map((time) => formats.map((format) => moment(time).format(format))),
		};
	});
}

test("the core's tests hold what Moment writes in each of the languages", () => {
	const lines = computed().map((language) => JSON.stringify(language));
	const text = `{"formats": ${JSON.stringify(formats)},\n"times": ${JSON.stringify(times)},\n"languages": [\n${lines.join(",\n")}\n]}\n`;
	if (process.env["UPDATE"] || !existsSync(golden)) writeFileSync(golden, text);
	expect(readFileSync(golden, "utf8"), "UPDATE=1 writes it anew").toBe(text);
});

test.each(moment.locales())("the locale %s of Moment has all that the core asks for", (language) => {
	moment.locale(language);
	const locale = localeOf(moment);
	expect(locale?.months.plain.filter((name) => typeof name === "string" && name !== "")).toHaveLength(12);
	expect(locale?.weekdays.plain.filter((name) => typeof name === "string" && name !== "")).toHaveLength(7);
	expect(Object.values(locale?.long ?? {}).every((format) => typeof format === "string")).toBe(true);
});

test("a locale that does not answer as Moment does is left out", () => {
	const broken = Object.assign(() => moment() as never, {
		locale: () => "xx",
		localeData: () => ({}) as never,
	});
	expect(localeOf(broken)).toBeUndefined();
});
