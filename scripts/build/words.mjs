// The words of the interface as they are in main.js: packed, since each person needs
// one language, and text beyond ASCII takes six characters a letter. English for
// the settings is JSON, which is read fast: the app asks for it when it starts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";

const SOURCE = "en";

/** What the app asks for when it starts: names of commands, and of the panel. These words are there at once. */
const FIRST = /^panel\.(title$|command\.)/;

/**
 * The lot that a word is in. The words of the settings are apart: the app asks
 * for all of them when the plugin is loaded, so that they are found in its search.
 */
const lotOf = (key) => (key.startsWith("settings.") ? "settings" : "rest");

/** The same words in lots. */
function lots(words) {
	const out = { settings: {}, rest: {} };
	for (const [key, text] of Object.entries(words)) out[lotOf(key)][key] = text;
	return out;
}

const firstOf = (words) => Object.fromEntries(Object.entries(words).filter(([key]) => FIRST.test(key)));

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

function pack(value) {
	const json = Buffer.from(JSON.stringify(value));
	const bytes = deflateRawSync(json, { level: 9 });
	return { size: json.length, text: bytes.toString("base64") };
}

/** The words of English's keys in their order (null where English alone has a form), and what there is beside. */
function against(english, words) {
	const beside = Object.fromEntries(Object.entries(words).filter(([key]) => !(key in english)));
	return [Object.keys(english).map((key) => words[key] ?? null), beside];
}

/** Source text of an object of functions: one that is not called when the app starts is not compiled then either. */
const functions = (values) =>
	`{ ${Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}: () => (${JSON.stringify(value)})`).join(", ")} }`;

/** The module "words:all" (i18n/virtual.d.ts), made of the folders of i18n. */
export function wordsModule(folder) {
	const all = wordsOf(join(folder, SOURCE));
	const english = lots(all);
	// English as JSON where the app asks for it when it starts; the rest is unpacked when the panel is first opened.
	const texts = { settings: JSON.stringify(english.settings), rest: pack(english.rest) };
	const first = { [SOURCE]: firstOf(all) };
	const packed = [];
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		if (!entry.isDirectory() || entry.name === SOURCE) continue;
		const words = wordsOf(join(folder, entry.name));
		const theirs = lots(words);
		const bytes = Object.keys(english).map((lot) => [lot, pack(against(english[lot], theirs[lot]))]);
		packed.push(`${JSON.stringify(entry.name)}: ${functions(Object.fromEntries(bytes))}`);
		first[entry.name] = firstOf(words);
	}
	return [
		`export const source = ${functions(texts)};`,
		`export const packed = { ${packed.join(", ")} };`,
		`export const first = ${JSON.stringify(first)};`,
		`export const lotOf = ${lotOf};`,
		"",
	].join("\n");
}
