// Every catalogue of words, in lots. A lot is unpacked when the first of its words
// is asked for that is not among those of the start.
import inflate from "tiny-inflate";
import { first, lotOf, packed, source, type Lot, type Packed } from "words:all";
import { fromBase64 } from "../bridge/module";

/** Messages by key. */
export type Catalogue = Record<string, string>;

export { first };

/** Every language that there is, by its BCP 47 tag. */
export const languages: readonly string[] = ["en", ...Object.keys(packed)];

const lots = Object.keys(source) as Lot[];

const unpacked = new Map<string, Catalogue>();

/** The words of one of the languages. English is the source, and the same files that the Go core embeds (i18n.go). */
export function catalogue(language: string): Catalogue {
	return Object.assign({}, ...lots.map((lot) => words(language, lot))) as Catalogue;
}

/** The words of a language that are in one lot with a key. */
export function around(language: string, key: string): Catalogue {
	return words(language, lotOf(key));
}

function words(language: string, lot: Lot): Catalogue {
	const id = `${language} ${lot}`;
	let found = unpacked.get(id);
	if (!found) unpacked.set(id, (found = unpackLot(language, lot)));
	return found;
}

const unpack = ({ size, text }: Packed): unknown =>
	JSON.parse(new TextDecoder().decode(inflate(fromBase64(text), new Uint8Array(size))));

function unpackLot(language: string, lot: Lot): Catalogue {
	const lots = packed[language];
	if (!lots) {
		const english = source[lot]();
		return (typeof english === "string" ? JSON.parse(english) : unpack(english)) as Catalogue;
	}
	const [theirs, beside] = unpack(lots[lot]()) as [(string | null)[], Catalogue];
	const all: Catalogue = { ...beside };
	for (const [i, key] of Object.keys(words("en", lot)).entries()) {
		const text = theirs[i];
		if (text != null) all[key] = text;
	}
	return all;
}
