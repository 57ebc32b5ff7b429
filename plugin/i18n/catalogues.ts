// Every catalogue of words. A language is unpacked when it is needed.
import { inflateSync, strFromU8 } from "fflate";
import { packed, source, type Packed } from "words:all";
import { fromBase91 } from "../../bridge/module";

/** Messages by key. */
export type Catalogue = Record<string, string>;

const unpack = ({ length, text }: Packed): unknown =>
	JSON.parse(strFromU8(inflateSync(fromBase91(text, length))));

/** English: the source, and the same files that the Go core embeds (i18n.go). */
export const english = unpack(source) as Catalogue;

/** Every language that there is, by its BCP 47 tag. */
export const languages: readonly string[] = ["en", ...Object.keys(packed)];

/** The words of one of the languages. */
export function catalogue(language: string): Catalogue {
	const bytes = packed[language];
	if (!bytes) return english;
	const [words, beside] = unpack(bytes) as [(string | null)[], Catalogue];
	const all: Catalogue = { ...beside };
	for (const [i, key] of Object.keys(english).entries()) {
		const text = words[i];
		if (text != null) all[key] = text;
	}
	return all;
}
