// How the app writes dates. Its language is set in its own copy of Moment, whose
// locales are partly functions: they are asked for every answer that they have,
// and the core gets the tables.
import type { HalfDay, Locale, Names } from "../../bridge/protocol.gen";

/** A time of Moment, as far as it is needed. */
export interface Time {
	month(month: number): Time;
	day(day: number): Time;
}

/** A locale of Moment (its localeData()). */
export interface LocaleData {
	months(time: Time, format: string): string;
	monthsShort(time: Time, format: string): string;
	weekdays(time: Time, format: string): string;
	weekdaysShort(time: Time): string;
	weekdaysMin(time: Time): string;
	longDateFormat(key: string): string;
	ordinal(n: number, token: string): string;
	meridiem(hour: number, minute: number, lower: boolean): string;
	isPM(word: string): boolean;
	meridiemHour?(hour: number, word: string): number;
	postformat(text: string): string;
	firstDayOfWeek(): number;
	firstDayOfYear(): number;
	/** Where names have other forms: the formats in which these are used. */
	_months?: { isFormat?: RegExp };
	_monthsShort?: { isFormat?: RegExp };
	_weekdays?: { isFormat?: RegExp };
}

/** Moment: makes a time in its present locale. */
export type Moment = ((date: Date) => Time) & { locale(): string; localeData(): LocaleData };

const count = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Formats in which months and weekdays may have another form, with what they have in common. */
const uses = {
	MMMM: ["D MMMM", "Do MMMM", "DD MMMM YYYY", "D [x] MMMM", "D. MMMM"],
	MMM: ["D MMM", "Do MMM", "DD-MMM-YYYY"],
	dddd: ["dddd HH:mm", "[x] dddd"],
};
/** The conditions that Moment's own locales have for them where they are functions. */
const conditions = ["D[oD]?(\\[[^\\[\\]]*\\]|\\s)+MMMM?", "D MMMM", "D.*MMMM", "-MMM-", "\\] ?dddd"];

/** The tables of Moment's present locale; undefined where it does not answer as Moment does. */
export function localeOf(moment: Moment): Locale | undefined {
	try {
		const data = moment.localeData();
		// In the middle of a month, so that another month has that day too.
		const middle = () => moment(new Date(2026, 0, 15, 12));
		const month = (m: number) => middle().month(m);
		const weekday = (d: number) => middle().day(d);
		return {
			language: moment.locale(),
			months: names(12, (m, format) => data.months(month(m), format), "MMMM", data._months?.isFormat),
			monthsShort: names(
				12,
				(m, format) => data.monthsShort(month(m), format),
				"MMM",
				data._monthsShort?.isFormat,
			),
			weekdays: names(7, (d, format) => data.weekdays(weekday(d), format), "dddd", data._weekdays?.isFormat),
			weekdaysShort: count(7).map((d) => data.weekdaysShort(weekday(d))),
			weekdaysMin: count(7).map((d) => data.weekdaysMin(weekday(d))),
			long: Object.fromEntries(
				["LT", "LTS", "L", "LL", "LLL", "LLLL", "l", "ll", "lll", "llll"].map((key) => [
					key,
					data.longDateFormat(key),
				]),
			),
			ordinals: Object.fromEntries(
				Object.entries({ M: 12, Q: 4, D: 31, DDD: 366, d: 6, w: 53, W: 53 }).map(([token, most]) => [
					token,
					count(most + 1).map((n) => String(data.ordinal(n, token))),
				]),
			),
			halfDays: halfDays(data),
			...digits(data),
			firstDay: data.firstDayOfWeek(),
			firstWeek: data.firstDayOfYear(),
		};
	} catch {
		return undefined; // a locale that another plugin has changed: dates are written in English
	}
}

/** Names in their plain form and, where a format changes them, in the other one. */
function names(
	n: number,
	ask: (i: number, format: string) => string,
	token: keyof typeof uses,
	isFormat?: RegExp,
): Names {
	const all = (format: string) => count(n).map((i) => ask(i, format));
	const plain = all(token);
	const differs = (format: string) => all(format).some((name, i) => name !== plain[i]);
	if (isFormat) return { plain, inside: inside(all, isFormat) ?? plain, when: isFormat.source };
	const changing = uses[token].filter(differs);
	const [first] = changing;
	if (first === undefined) return { plain };
	const fits = (condition: string) =>
		uses[token].every((format) => new RegExp(condition).test(format) === changing.includes(format));
	const when = conditions.find(fits);
	return when === undefined ? { plain } : { plain, inside: all(first), when };
}

/** The names in a format that a condition finds something in. */
function inside(all: (format: string) => string[], isFormat: RegExp): string[] | undefined {
	const formats = [
		...Object.values(uses).flat(),
		"MMMM D",
		"[В] dddd",
		"[в] dddd",
		"[у] dddd",
		"[წინა] dddd",
	];
	const found = formats.find((format) => isFormat.test(format));
	return found === undefined ? undefined : all(found);
}

/** The parts of a day, from midnight on. */
function halfDays(data: LocaleData): HalfDay[] {
	const days: HalfDay[] = [];
	for (const minute of count(24 * 60)) {
		const [hour, rest] = [Math.floor(minute / 60), minute % 60];
		const [lower, upper] = [data.meridiem(hour, rest, true), data.meridiem(hour, rest, false)];
		const last = days.at(-1);
		if (last?.lower === lower && last.upper === upper) continue;
		days.push({ from: minute, lower, upper, hours: count(13).map((h) => hourOf(data, h, lower)) });
	}
	return days;
}

/** The hour of the day that an hour with a part of the day means, as Moment reads it. */
function hourOf(data: LocaleData, hour: number, word: string): number {
	if (data.meridiemHour) return data.meridiemHour(hour, word);
	if (data.isPM(word)) return hour < 12 ? hour + 12 : hour;
	return hour === 12 ? 0 : hour;
}

/** The signs for digits and commas, where a language has its own. */
function digits(data: LocaleData): Pick<Locale, "digits" | "comma"> {
	const own = count(10).map((digit) => data.postformat(String(digit)));
	const comma = data.postformat(",");
	if (own.every((digit, i) => digit === String(i)) && comma === ",") return {};
	return { digits: own, comma };
}
