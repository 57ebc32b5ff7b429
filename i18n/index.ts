// The words of the interface. English is the source and the same files that
// the Go core embeds (i18n.go); another language falls back to it key by key.

import { around, first, languages } from "./catalogues";

/** The values for a message's {placeholders}. */
export type Params = Record<string, string | number>;
/** Words for a person, as the core sends them (protocol.Message). */
export interface Words {
	key: string;
	params?: Params;
}

let language = "en";

/**
 * Picks the catalogue for an app language code ("de", "zh", "pt-BR"). A
 * language without a catalogue is shown in English. Returns the tag chosen.
 */
export function setLanguage(code: string): string {
	return (language = catalogueFor(code));
}

function catalogueFor(code: string): string {
	if (languages.includes(code)) return code;
	const lower = code.toLowerCase();
	// The app's "zh" is Simplified Chinese; Traditional has codes of its own.
	if (lower === "zh" || lower === "zh-hans" || lower === "zh-sg")
		return languages.includes("zh-CN") ? "zh-CN" : "en";
	const base = lower.split("-")[0] ?? "en";
	return base !== "zh" && languages.includes(base) ? base : "en";
}

/** The tag of the language in use, for Intl. */
export function currentLanguage(): string {
	return language;
}

/**
 * The words of a message in the language in use. A key with plural forms
 * (suffix _one, _other …) is chosen by the CLDR rules on the parameter "n". A
 * key that no catalogue has is returned as it is, so that nothing is lost.
 */
export function t(message: Words): string;
export function t(key: string, params?: Params): string;
export function t(message: Words | string, params?: Params): string {
	const key = typeof message === "string" ? message : message.key;
	const values = typeof message === "string" ? params : message.params;
	const text = first[language]?.[key] ?? find(language, key, values) ?? find("en", key, values) ?? key;
	return fill(text, values);
}

const plurals = new Map<string, Intl.PluralRules>();

/** The CLDR rules of a language: made when first asked for, since they take a moment. */
function pluralsOf(tag: string): Intl.PluralRules {
	let rules = plurals.get(tag);
	if (!rules) plurals.set(tag, (rules = new Intl.PluralRules(tag)));
	return rules;
}

function find(tag: string, key: string, params?: Params): string | undefined {
	const from = around(tag, key);
	const plain = from[key];
	if (plain !== undefined) return plain;
	const n = Number(params?.["n"]);
	// One thing may be said by its name ("Will create Note.md"), in any language.
	if (n === 1 && from[`${key}_one`] !== undefined) return from[`${key}_one`];
	const form = Number.isFinite(n) ? pluralsOf(tag).select(n) : "other";
	return from[`${key}_${form}`] ?? from[`${key}_other`];
}

// The parameters that are amounts, and are written as the language writes numbers.
const counts = new Set(["n", "done", "total"]);

// One pass: a value that holds braces is never expanded again.
function fill(text: string, params?: Params): string {
	if (!params) return text;
	return text.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
		const value = params[name];
		if (value === undefined) return whole;
		return counts.has(name) && /^\d+$/.test(String(value)) ? number(Number(value)) : String(value);
	});
}

const formats = new Map<string, Intl.NumberFormat>();

/** A number as the language writes it. A format is made once: making one costs more than a row of a list. */
function written(n: number, how: Intl.NumberFormatOptions = {}): string {
	const key = `${language} ${JSON.stringify(how)}`;
	let format = formats.get(key);
	if (!format) formats.set(key, (format = new Intl.NumberFormat(language, how)));
	return format.format(n);
}

/** A number in the language's own digits and separators. */
export function number(n: number): string {
	return written(n);
}

/** What puts words in the order of the language; numbers in them count as numbers. */
export function order(): (a: string, b: string) => number {
	return new Intl.Collator(language, { numeric: true }).compare;
}

/** A large number in few characters: "3.2K". */
export function compact(n: number): string {
	return written(n, { notation: "compact", maximumFractionDigits: 1 });
}

/** A price, with two digits that are not 0 where it is small. A currency that is no ISO 4217 code stands before it. */
export function money(amount: number, currency: string): string {
	const digits = { maximumSignificantDigits: amount < 1 ? 2 : 4 };
	if (!/^[A-Za-z]{3}$/.test(currency)) return `${currency} ${written(amount, digits)}`;
	return written(amount, { style: "currency", currency, ...digits });
}

/** Bytes as a person reads them: "3.1 MB". Units of 1000. */
export function bytes(n: number): string {
	const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
	let i = 0;
	while (n >= 1000 && i < units.length - 1) {
		n /= 1000;
		i++;
	}
	const unit = units[i] ?? "byte";
	return written(n, {
		style: "unit",
		unit,
		unitDisplay: i === 0 ? "long" : "short",
		maximumFractionDigits: n < 10 && i > 0 ? 1 : 0,
	});
}

/** A duration as a person reads it: "45 ms", "2.3 s", "4 min". */
export function duration(ms: number): string {
	const [n, unit] =
		ms < 1000
			? ([Math.round(ms), "millisecond"] as const)
			: ms < 60_000
				? ([ms / 1000, "second"] as const)
				: ([Math.round(ms / 60_000), "minute"] as const);
	return written(n, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: n < 10 ? 1 : 0 });
}

/** A moment (RFC 3339) as a date and time. "" for what is not one. */
export function when(at: string): string {
	const time = Date.parse(at);
	if (Number.isNaN(time)) return "";
	return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** A moment (RFC 3339) as the time of its day. "" for what is not one. */
export function clock(at: string): string {
	const time = Date.parse(at);
	if (Number.isNaN(time)) return "";
	return new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(time);
}

/** The day of a moment in this place as a person calls it: "Today", "Saturday, October 31, 2026". */
export function dayName(at: Date, now: Date): string {
	const yesterday = new Date(now);
	yesterday.setDate(now.getDate() - 1);
	if (day(at) === day(now)) return t("panel.history.today");
	if (day(at) === day(yesterday)) return t("panel.history.yesterday");
	return new Intl.DateTimeFormat(language, { dateStyle: "full" }).format(at);
}

/** The date of a moment in this place, for the name of a file or folder: "2026-11-23", as Swedish has it. */
export const day = (time: Date) =>
	new Intl.DateTimeFormat("sv-SE", { year: "numeric", month: "2-digit", day: "2-digit" }).format(time);
