// Every catalogue of words. A language is unpacked when the first of its words is
// asked for that is not among those of the start.
import inflate from "tiny-inflate";
import { first, packed, source, type Packed } from "words:all";
import { fromBase91 } from "../../bridge/module";

/** Messages by key. */
export type Catalogue = Record<string, string>;

export { first };

/** Every language that there is, by its BCP 47 tag. */
export const languages: readonly string[] = ["en", ...Object.keys(packed)];

const unpacked = new Map<string, Catalogue>();

/** The words of one of the languages. English is the source, and the same files that the Go core embeds (i18n.go). */
export function catalogue(language: string): Catalogue {
	let words = unpacked.get(language);
	if (!words) unpacked.set(language, (words = unpackLanguage(language)));
	return words;
}

const unpack = ({ length, size, text }: Packed): unknown =>
	JSON.parse(new TextDecoder().decode(inflate(fromBase91(text, length), new Uint8Array(size))));

function unpackLanguage(language: string): Catalogue {
	const bytes = packed[language];
	if (!bytes) return JSON.parse(source()) as Catalogue;
	const [words, beside] = unpack(bytes) as [(string | null)[], Catalogue];
	const all: Catalogue = { ...beside };
	for (const [i, key] of Object.keys(catalogue("en")).entries()) {
		const text = words[i];
		if (text != null) all[key] = text;
	}
	return all;
}
