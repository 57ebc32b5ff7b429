// Every catalogue of words. English is there from the start; another language is
// unpacked when it is chosen.
import { inflateSync, strFromU8 } from "fflate";
import { english, packed } from "words:all";
import { fromBase91 } from "../../bridge/module";

/** Messages by key. */
export type Catalogue = Record<string, string>;

export { english };

/** Every language that there is, by its BCP 47 tag. */
export const languages: readonly string[] = ["en", ...Object.keys(packed)];

/** The words of one of the languages. */
export function catalogue(language: string): Catalogue {
	const bytes = packed[language];
	if (!bytes) return english;
	const json = strFromU8(inflateSync(fromBase91(bytes.text, bytes.length)));
	const [words, beside] = JSON.parse(json) as [(string | null)[], Catalogue];
	const all: Catalogue = { ...beside };
	for (const [i, key] of Object.keys(english).entries()) {
		const text = words[i];
		if (text != null) all[key] = text;
	}
	return all;
}
