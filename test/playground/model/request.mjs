/**
 * Reads what the demo model needs from the body of an OpenAI Responses request: the person's words, the context
 * around them, and how often a plan for these words was sent back.
 *
 * The core marks the parts of its user message: `<instruction>` holds the person's words verbatim, `<selection>`
 * and `<active_file>` hold context. Text of a note may contain such marks too, so the selection is cut out before
 * the instruction is looked for.
 */

/** The function by which a plan is handed over. */
export const PLAN_TOOL = "submit_plan";

/**
 * @typedef {object} Asked
 * @property {string} instruction the person's words; the whole last user message where nothing is marked
 * @property {string | undefined} selection the marked selection; undefined when none was sent
 * @property {string | undefined} activeFile path of the active note; undefined when none was sent
 * @property {string} context all text of the request, for finding the paths that it names
 * @property {number} attempts plans for this instruction that came before and were sent back
 * @property {boolean} offersPlan whether the request offers the function submit_plan
 * @property {boolean} wantsJson whether the whole answer shall be JSON: then a plan is the text of the answer
 * @property {boolean} stream
 */

/**
 * @param {Record<string, unknown>} body a parsed request body
 * @returns {Asked}
 */
export function readRequest(body) {
	const items = inputItems(body.input);
	const users = items.flatMap((item, index) => (item.role === "user" ? [{ index, text: textOf(item) }] : []));
	const marked = users.findLast((user) => block(withoutSelection(user.text), "instruction") !== undefined);
	const chosen = marked ?? users.at(-1) ?? { index: -1, text: "" };
	const words = block(withoutSelection(chosen.text), "instruction") ?? chosen.text;
	return {
		instruction: words.trim(),
		selection: selectionOf(chosen.text),
		activeFile: block(withoutSelection(chosen.text), "active_file")?.trim() || undefined,
		context: [body.instructions, ...items.map(textOf)].filter((text) => typeof text === "string").join("\n"),
		attempts: attemptsAfter(items, chosen.index),
		offersPlan: toolNames(body.tools).includes(PLAN_TOOL),
		wantsJson: ["json_schema", "json_object"].includes(body.text?.format?.type),
		stream: body.stream === true,
	};
}

/** The input as a list of items; a bare string is one user message. */
function inputItems(input) {
	if (typeof input === "string") return [{ role: "user", content: input }];
	return Array.isArray(input) ? input.filter((item) => item !== null && typeof item === "object") : [];
}

/** The text of a message, whether its content is a string or a list of parts. */
function textOf(item) {
	if (typeof item.content === "string") return item.content;
	if (!Array.isArray(item.content)) return "";
	return item.content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("\n");
}

/** The content of the last `<name …>` block, or undefined. */
function block(text, name) {
	const open = new RegExp(`<${name}(?:\\s[^>]*)?>`, "g");
	const last = [...text.matchAll(open)].at(-1);
	if (last === undefined) return undefined;
	const start = last.index + last[0].length;
	const end = text.indexOf(`</${name}>`, start);
	return end < 0 ? undefined : text.slice(start, end);
}

const SELECTION = /<selection(?:\s[^>]*)?>([\s\S]*)<\/selection>/;

function selectionOf(text) {
	return SELECTION.exec(text)?.[1].replace(/^\n|\n$/g, "");
}

function withoutSelection(text) {
	return text.replace(SELECTION, "");
}

/**
 * How many plans came after the instruction. A plan that was sent back shows as a function call, or, where the
 * core starts from plain text, as one more user message with the reasons.
 */
function attemptsAfter(items, index) {
	const later = items.slice(index + 1);
	const calls = later.filter((item) => item.type === "function_call" && item.name === PLAN_TOOL).length;
	return Math.max(calls, later.filter((item) => item.role === "user").length);
}

/** Names of the offered functions; Responses puts the name on the tool itself. */
function toolNames(tools) {
	return Array.isArray(tools) ? tools.map((tool) => tool?.name) : [];
}
