// The answers of plans that only read, as tests look at them.

import type { Finding, FindingCell, Findings } from "../../plugin/protocol";
import { event, question, review, runState, state, turn } from "./fixtures";
import type { Scene } from "./stage";

const cell = (path: string, line = 0): FindingCell => ({ text: path, path, ...(line > 0 ? { line } : {}) });

const mentions = (places: number): Finding => ({
	text: {
		key: places > 1 ? "finding.mentions.places" : "finding.mentions",
		params: { query: "compost", n: String(Math.ceil(places / 2)), total: String(places) },
	},
	count: places,
	columns: [
		{ name: "path", label: { key: "finding.column.path" }, kind: "note" },
		{ name: "text", label: { key: "finding.column.text" }, kind: "text" },
	],
	rows: Array.from({ length: places }, (_, n) => [
		cell(`Garden ${n % 7}/Beds and their compost ${places - (n >> 1)}.md`, n + 1),
		{
			text:
				n % 3
					? "Turn the compost."
					: `Compost <b>number</b> ${n}, and **more** of it than fits in one line of the panel`,
		},
	]),
});

/** All kinds of columns. */
export const kinds: Finding = {
	name: "Notes by size",
	text: { key: "finding.notes", params: { n: "2", total: "2" } },
	count: 2,
	columns: [
		{ name: "path", label: { key: "finding.column.path" }, kind: "note" },
		{ name: "modified", label: { key: "finding.column.modified" }, kind: "date" },
		{ name: "tags", label: { key: "finding.column.tags" }, kind: "tag" },
		{ name: "size", kind: "number" },
		{ name: "due date", kind: "text" },
	],
	rows: [
		[
			cell("Rain barrel.md"),
			{ text: "2026-11-20T10:00:00" },
			{ text: "#garden, #water" },
			{ text: "1200" },
			{ text: "" },
		],
		[cell("Shed/Tools.md"), { text: "2026-10-01T08:30:00" }, { text: "" }, { text: "90" }, { text: "soon" }],
	],
};

/** The turn of a question, and its answer. */
export const answered = (parts: Finding[], more: Partial<Findings> = {}): Scene => ({
	events: [
		event("state", { state: state() }),
		event("turn.ended", {
			turn: turn({
				phase: "done",
				outcome: "answer",
				text: "Which notes mention compost?",
				reply: "I will search your notes.",
				findings: { parts, done: true, plan: '{"goal":"Find","steps":[]}', ...more },
			}),
		}),
	],
});

export const findingsScenes: Record<string, Scene> = {
	"answer-none": answered([
		{ text: { key: "finding.mentions.none", params: { query: "compost" } }, count: 0, rows: [] },
	]),
	"answer-one": answered([mentions(1)]),
	"answer-thousands": answered([mentions(3000)]),
	"answer-kinds": answered(
		[kinds, { name: "In all", text: { key: "finding.value", params: { value: "12" } }, count: 12 }],
		{
			notes: [{ key: "review.cut", params: { step: "Search", shown: "2", total: "83" } }],
		},
	),
	/** All of a long answer, simulated anew: a review with nothing to decide. */
	"answer-all": {
		events: [
			event("state", { state: state() }),
			event("review.opened", {
				review: review({
					goal: "Which notes mention compost?",
					files: [],
					summary: [],
					assumptions: [],
					approvable: false,
					risk: "read-only",
					findings: { parts: [mentions(60)], done: true, plan: '{"goal":"Find","steps":[]}' },
				}),
			}),
		],
	},
	/** A plan that wrote, and what it says of itself. */
	"answer-after": {
		events: [
			event("state", { state: state() }),
			event("run.state", {
				run: runState({
					state: "finished",
					outcome: "ok",
					done: 2,
					total: 2,
					text: { key: "run.ok", params: { goal: "Add a line", n: "2", total: "2" } },
					findings: {
						parts: [{ ...kinds, name: "done", words: "{n} notes have the line now." }],
						done: true,
						plan: "",
					},
				}),
			}),
		],
	},
	/** What model steps are going to cost. */
	"question-cost": {
		events: [
			event("state", { state: state() }),
			event("question.opened", {
				question: question({
					kind: "cost",
					text: { key: "question.model", params: { model: "gpt-5.1", host: "api.openai.com" } },
					reason: { key: "policy.modelStep" },
					tool: undefined,
					args: undefined,
					options: [
						{ key: "question.model.requests", params: { n: "16" } },
						{ key: "question.model.notes", params: { n: "314" } },
						{ key: "question.model.tokens", params: { n: "187000" } },
						{ key: "question.model.cost", params: { cost: "0.42", currency: "USD" } },
						{ key: "question.model.stops", params: { n: "376000" } },
					],
				}),
			}),
		],
	},
	"answer-kept": answered([{ ...mentions(40), count: 3000 }]),
};
