// The words of the interface as they are in main.js: English as it is, the other
// languages packed, since each person needs one and text beyond ASCII takes six
// characters a letter there.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { toBase91 } from "./base91.mjs";

const SOURCE = "en";

/** Every word of a language: the files of its folder put together. */
function wordsOf(folder) {
	const words = {};
	for (const name of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
		const file = JSON.parse(readFileSync(join(folder, name), "utf8"));
		for (const key of Object.keys(file)) if (key in words) throw new Error(`${folder}: ${key} is there twice`);
		Object.assign(words, file);
	}
	return words;
}

/**
 * Packs a language: the words of English's keys in their order (null where
 * English alone has a form), and what it has beside, deflated.
 */
function pack(words, english) {
	const keys = Object.keys(english);
	const beside = Object.fromEntries(Object.entries(words).filter(([key]) => !(key in english)));
	const json = JSON.stringify([keys.map((key) => words[key] ?? null), beside]);
	const bytes = deflateRawSync(Buffer.from(json), { level: 9 });
	return { length: bytes.length, text: toBase91(bytes) };
}

/** The module "words:all" (plugin/i18n/virtual.d.ts), made of the folders of plugin/i18n. */
export function wordsModule(folder) {
	const english = wordsOf(join(folder, SOURCE));
	const packed = {};
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		if (!entry.isDirectory() || entry.name === SOURCE) continue;
		packed[entry.name] = pack(wordsOf(join(folder, entry.name)), english);
	}
	return `export const english = ${JSON.stringify(english)};\nexport const packed = ${JSON.stringify(packed)};\n`;
}
