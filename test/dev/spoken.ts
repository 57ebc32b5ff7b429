// A page in another language, for stories that are written in English: what is
// looked for by English words is found by the words of that language.

import type { Page } from "playwright-core";
import { catalogue } from "../../i18n/catalogues";

/** A page whose names and texts, given in English, are looked for in the language. */
export function spoken(page: Page, language: string): Page {
	if (language === "en") return page;
	const turned: Record<string, (...given: unknown[]) => unknown> = {
		getByText: (text, options) => page.getByText(inLanguage(text, language, options), exactly(options)),
		getByLabel: (text, options) => page.getByLabel(inLanguage(text, language, options), exactly(options)),
		getByRole: (role, options) => {
			const asked = options as { name?: unknown } | undefined;
			const named =
				asked?.name === undefined ? asked : { ...asked, name: inLanguage(asked.name, language, asked) };
			return page.getByRole(role as "button", named as { name: RegExp });
		},
	};
	return new Proxy(page, {
		get: (target, key: string) => {
			const own = turned[key] ?? (Reflect.get(target, key) as unknown);
			return typeof own === "function" ? (own as () => unknown).bind(target) : own;
		},
	});
}

const exactly = (options: unknown) => options as { exact?: boolean } | undefined;

/** The words of the language for an English text, or the text as it is where no catalogue has it. */
function inLanguage(text: unknown, language: string, options?: unknown): RegExp | string {
	if (typeof text !== "string") return text as RegExp;
	const words = [...translations(text, language)].map(literal);
	if (words.length === 0) return text;
	return exactly(options)?.exact ? new RegExp(`^(?:${words.join("|")})$`) : new RegExp(words.join("|"), "i");
}

function* translations(text: string, language: string): Generator<string> {
	const theirs = catalogue(language);
	for (const [key, template] of Object.entries(catalogue("en"))) {
		const found = new RegExp(`^${pattern(template)}$`).exec(text);
		if (!found) continue;
		const other = theirs[key] ?? theirs[key.replace(/_one$/, "_other")];
		if (other === undefined) continue;
		yield other.replace(/\{([^{}]*)\}/g, (whole, name: string) => found.groups?.[name] ?? whole);
	}
}

/** A template as a pattern in which a parameter is anything; where it stands twice, the same twice. */
function pattern(template: string): string {
	const seen = new Set<string>();
	return literal(template).replace(/\\\{(\w+)\\\}/g, (_, name: string) => {
		if (seen.has(name)) return `\\k<${name}>`;
		seen.add(name);
		return `(?<${name}>.+)`;
	});
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
