/**
 * The "mind" of the demo model: readable scripts that are matched against the person's words.
 *
 * A script is a JSON file in `scripts/`, tried in the order of the file names:
 *
 *     name     what it does, in words
 *     try      a sentence that it understands; the greeting lists these, and the tests say each of them
 *     match    regular expressions (case does not matter); named groups become values; `%{end}` is a phrase below
 *     defaults what groups are that did not match
 *     needs    "selection": without one the model asks `without` back
 *     reply    the streamed text
 *     plan     the ActionPlan, when there is something to do
 *
 * In `reply` and `plan`, `%{folder}` is the value of the group `folder`. Further values: `%{today}` (yyyy-mm-dd),
 * `%{bullets}` ("each of the 10 bullets"), `%{note from}` (the path of the note that group `from` names),
 * `%{beside from to}` (the path of a note named by `to` in the folder of the note `from`). A step with
 * `"if": "links"` stays only when the group `links` matched. References such as `{bullet.title}` and
 * `$steps.notes.items` are left alone: they belong to the plan.
 */
import { readdirSync, readFileSync } from "node:fs";
import { PLAN_TOOL } from "./request.mjs";

/**
 * @typedef {object} Script
 * @property {string} name
 * @property {string} [try]
 * @property {string[]} match
 * @property {Record<string, string>} [defaults]
 * @property {"selection"} [needs]
 * @property {string} [without]
 * @property {string} reply
 * @property {Record<string, any>} [plan]
 */

/** The longest sentence that is matched, in characters: the patterns are loose, and would take long on more. */
const LONGEST = 500;

/** What the patterns have in common: `%{end}` in a script's `match` stands for the expression here. */
const phrases = {
	please: String.raw`^(?:please\s+)?`,
	end: String.raw`\s*[.!?]?$`,
	"create notes": String.raw`\b(?:create|make|add|write)\b.*?\bnotes?\b`,
	"each bullet": String.raw`\b(?:each|every|all)\b.*?\b(?:bullet|item|line|point|entry)s?\b`,
	"in folder": String.raw`\b(?:in|into|under)\s+(?:(?:a|the|my)\s+)?(?:new\s+)?(?:folder\s+)?(?:(?:called|named)\s+)?%{name folder}(?:\s+folder)?`,
	"and link": String.raw`\s*[,;.]?\s*(?:(?:and|then)\s+)+(?<links>(?:replace|swap|insert|put|add|link)\b.*\b(?:links?|them)\b.*)$`,
};

/** A script's pattern as a regular expression; `%{name X}` is a name, in quotes or not, in the group X. */
function expression(pattern) {
	const whole = pattern.replace(/%\{((?!name )[a-z ]+)\}/gu, (_, name) => {
		if (!Object.hasOwn(phrases, name)) throw new Error(`it uses the unknown phrase %{${name}}`);
		return phrases[name];
	});
	const quoted = `"[^"]+"|“[^”]+”|'[^']+'|\`[^\`]+\``;
	return new RegExp(
		whole.replace(/%\{name (\w+)\}/gu, (_, group) => `(?<${group}>${quoted}|.+?)`),
		"iu",
	);
}

/**
 * The scripts of a folder.
 * @param {URL | string} folder
 * @returns {Script[]}
 * @throws {Error} a script that is not valid, with its file name
 */
export function loadScripts(folder = new URL("./scripts/", import.meta.url)) {
	const base = new URL(folder, import.meta.url);
	const names = readdirSync(base).filter((name) => name.endsWith(".json"));
	return names.sort().map((name) => {
		try {
			return checkScript(JSON.parse(readFileSync(new URL(name, base), "utf8")));
		} catch (error) {
			throw new Error(`The script ${name} cannot be used: ${error.message}`, { cause: error });
		}
	});
}

/** Refuses a script that could never answer; returns it unchanged otherwise. */
export function checkScript(script) {
	if (typeof script.reply !== "string" || script.reply === "") throw new Error("it has no reply");
	if (!Array.isArray(script.match) || script.match.length === 0) throw new Error("it matches nothing");
	script.match.forEach(expression);
	if (script.needs !== undefined && script.needs !== "selection") throw new Error(`it needs ${script.needs}`);
	if (script.needs && !script.without)
		throw new Error("it does not say what to ask when the selection is missing");
	return script;
}

/**
 * What the demo model answers: a text, and, where a script has a plan and the request offers submit_plan, one call.
 * Where the request offers no function but asks for JSON, the plan is the text.
 * @param {import("./request.mjs").Asked} asked
 * @param {Script[]} scripts
 * @param {Date} now
 * @returns {import("./responses.mjs").Turn}
 */
export function answer(asked, scripts, now) {
	const found = findScript(asked.instruction, scripts);
	if (found === undefined) return { items: [{ kind: "text", text: greeting(scripts) }] };
	const { script, groups } = found;
	if (script.needs === "selection" && selectionIsMissing(asked)) {
		return { items: [{ kind: "text", text: script.without }] };
	}
	const fill = filler(groups, asked, now);
	const reply = { kind: "text", text: fill(script.reply) };
	if (!script.plan || !(asked.offersPlan || asked.wantsJson)) return { items: [reply] };
	const plan = JSON.stringify(filledPlan(withoutUnmetSteps(script.plan, groups), fill));
	if (!asked.offersPlan) return { items: [{ kind: "text", text: plan }] };
	return { items: [reply, { kind: "call", name: PLAN_TOOL, arguments: plan }] };
}

/** The first script with a pattern that matches, and the named groups of the match. */
function findScript(instruction, scripts) {
	const words = instruction.replace(/\s+/gu, " ").trim();
	if (words.length > LONGEST) return undefined;
	for (const script of scripts) {
		for (const pattern of script.match) {
			const match = expression(pattern).exec(words);
			if (match) return { script, groups: { ...script.defaults, ...cleaned(match.groups ?? {}) } };
		}
	}
	return undefined;
}

/** The values of the groups without quotes, link brackets, and the full stop of the sentence. */
function cleaned(groups) {
	const clean = (value) =>
		value
			.trim()
			.replace(/[.?!]$/u, "")
			.replace(/^\[\[(.*)\]\]$/u, "$1")
			.replace(/^["“”'‘’`](.*)["“”'‘’`]$/u, "$1")
			.trim();
	return Object.fromEntries(
		Object.entries(groups).flatMap(([key, value]) => (value ? [[key, clean(value)]] : [])),
	);
}

/**
 * A selection is missing when the request brings context but no selection, or an empty one. A request that brings
 * no context at all says nothing about it: the plan will find out.
 */
function selectionIsMissing(asked) {
	if (asked.selection !== undefined) return asked.selection.trim() === "";
	return asked.activeFile !== undefined;
}

/** The plan without the steps whose `if` names a group that did not match, and without the `if` marks. */
function withoutUnmetSteps(plan, groups) {
	const kept = plan.steps.filter((step) => step.if === undefined || groups[step.if] !== undefined);
	return { ...plan, steps: kept.map(({ if: _, ...step }) => step) };
}

/** A function that replaces the `%{…}` in a text. An unknown name is a mistake in the script, and throws. */
function filler(groups, asked, now) {
	const values = { ...groups, today: localDate(now), bullets: bulletWords(asked.selection) };
	const valueOf = (name) => {
		if (values[name] === undefined) throw new Error(`a script uses %{${name}}, which has no value`);
		return values[name];
	};
	const functions = {
		note: (from) => notePath(valueOf(from), asked),
		beside: (from, to) => beside(notePath(valueOf(from), asked), valueOf(to)),
	};
	return (text, guard = (value) => value) =>
		text.replace(/%\{(\w+)(?: ([\w ]+))?\}/gu, (_, name, rest) =>
			guard(rest === undefined ? valueOf(name) : functions[name](...rest.split(" "))),
		);
}

/** The plan with its values. In a step, words of the person that look like a reference are marked as plain text. */
function filledPlan(plan, fill) {
	const { steps, ...rest } = plan;
	const filledStep = (step) => deepMap(step, (text) => fill(text, (value) => plainText(value, step.foreach)));
	return { ...deepMap(rest, (text) => fill(text)), steps: steps.map(filledStep) };
}

/**
 * A text in which nothing is a reference: a backslash goes before what would be one, and the backslashes that stand
 * before it already are doubled. Elsewhere a backslash is itself.
 */
function plainText(value, foreach) {
	const names = foreach ? [foreach.itemName, foreach.indexName ?? "index"].join("|") : "(?!)";
	const reference = `\\$\\{?(?:steps|vars)[.[]|(?<!\\{)\\{(?:${names})[.[}]`;
	return value.replace(new RegExp(`(\\\\*)(${reference})`, "gu"), "$1$1\\$2");
}

/** Applies `change` to every string in a JSON value; keys stay as they are. */
function deepMap(value, change) {
	if (typeof value === "string") return change(value);
	if (Array.isArray(value)) return value.map((entry) => deepMap(entry, change));
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, deepMap(entry, change)]));
}

/**
 * The path of a note that a person named. What the words say wins; then the active note; then a path that the
 * request mentions; and otherwise the note is taken to be at the top of the vault.
 */
function notePath(name, asked) {
	const file = /\.\w{2,6}$/u.test(name) ? name : `${name}.md`;
	if (/^(this|the (active|current|open)) note$/iu.test(name) && asked.activeFile) return asked.activeFile;
	if (file.includes("/")) return file;
	if (asked.activeFile?.split("/").at(-1).toLowerCase() === file.toLowerCase()) return asked.activeFile;
	const folders = "((?:[^\\s\"'`<>*|?:/][^\\n\"'`<>*|?:/]*/)+";
	const mention = new RegExp(`(?:^\\s*(?:[-*] )?|["'\`])${folders}${escaped(file)})`, "imu");
	return mention.exec(asked.context)?.[1] ?? file;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/-]/gu, "\\$&");

/** A note's new path: in the folder of the old one, with its extension, unless the new name says otherwise. */
function beside(path, name) {
	const extension = /\.\w{2,6}$/u.exec(path)?.[0] ?? ".md";
	const file = name.toLowerCase().endsWith(extension.toLowerCase()) ? name : name + extension;
	const folder = path.slice(0, path.lastIndexOf("/") + 1);
	return file.includes("/") ? file : folder + file;
}

/** How the reply speaks of the bullets: with their number where the selection is known. */
function bulletWords(selection) {
	const markers = (selection ?? "").split(/\r?\n/u).map((line) => /^(\s*)(?:[-*+]|\d+[.)])\s/u.exec(line));
	const indents = markers.flatMap((marker) => (marker ? [marker[1].length] : []));
	const top = indents.reduce((least, indent) => Math.min(least, indent), Infinity);
	const count = indents.filter((indent) => indent === top).length;
	if (count === 0) return "every bullet";
	return count === 1 ? "the one bullet" : `each of the ${count} bullets`;
}

function localDate(now) {
	return new Intl.DateTimeFormat("sv-SE").format(now); // writes dates as ISO 8601 has them
}

/** The answer to words that no script understands. */
function greeting(scripts) {
	const examples = scripts.flatMap((script) => (script.try ? [`- ${script.try}`] : []));
	return [
		"I am the demo model: a few scripts, not an intelligence, so that you can try everything without a key.",
		"I did not understand that, but I do understand sentences like these:",
		"",
		...examples,
		"",
		"For anything else, choose a real provider in the settings.",
	].join("\n");
}
