// The states of the chat that tests look at.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { CallView, Event, ReplyNode } from "../../plugin/protocol";
import { call, event, exec, fileView, review, runState, state, turn, words } from "./fixtures";
import { ready, type Scene } from "./stage";

/** An answer with all that one can have, as the core's own test draws it. */
const drawnAnswer = JSON.parse(
	readFileSync(join(import.meta.dirname, "../../wasm/internal/answer/testdata/answer.json"), "utf8"),
) as ReplyNode[];

/** What the core says that sending would take. */
export const estimated = {
	snippet: "- Tomato trellis - Compost - Rain barrel …",
	tokens: 212,
	prompt: 6_480,
	window: 128_000,
	cost: 0.0113,
	priced: true,
	currency: "USD",
};

/** A call of an agent's turn. */
export function agentCall(n: number, fields: Partial<CallView> = {}, run = "t1"): Event {
	const view = call(n, { stepId: `call-${n}`, index: -1, ...fields });
	return event("exec", {
		exec: {
			type: "step.finished",
			runId: run,
			timestamp: "",
			level: "info",
			message: "",
			callId: view.callId,
			call: view,
		},
	});
}

const calls = [
	agentCall(1, {
		tool: "vault.searchText",
		paths: [],
		deed: { key: "deed.searched", params: { text: "compost", n: "9" } },
		cached: true,
		durationMs: 4,
	}),
	agentCall(2, {
		tool: "vault.readFile",
		paths: ["Garden/Compost.md"],
		deed: { key: "deed.read", params: { name: "Compost" } },
		durationMs: 12,
	}),
	agentCall(3, {
		tool: "http.request",
		paths: [],
		deed: { key: "deed.fetched", params: { text: "example.org" } },
		secretScope: "organisation",
		durationMs: 812,
	}),
	agentCall(4, {
		tool: "vault.writeFile",
		paths: ["Garden/Compost.md"],
		deed: { key: "deed.written.doing", params: { name: "Compost" } },
		status: "running",
		result: "",
	}),
];

const agent = turn({
	mode: "agent",
	phase: "streaming",
	text: "Update the compost note with what the weather means for it",
	steered: ["Leave the headings as they are"],
	queued: ["Then make a list of what to buy"],
	attached: [
		{ kind: "note", path: "Garden/Compost.md" },
		{ kind: "tag", name: "#garden" },
		{ kind: "image", path: "Garden/heap.png" },
	],
	reasoning: "The note first, then the weather.",
});

/** Puts the context of a message together as a person would. */
export const attach = async (page: Page) => {
	await page.evaluate(async () => {
		const { compose } = window.dev.controller;
		window.dev.app.note = "Inbox/Ideas for the garden.md";
		await window.dev.select("Inbox/Ideas for the garden.md", "- Tomato trellis\n- Compost");
		compose.attach({ kind: "folder", path: "Projects/Community garden" });
		compose.attach({ kind: "heading", path: "Garden/Compost.md", name: "What goes in" });
		compose.attach({ kind: "image", path: "Garden/heap.png" });
	});
};

const names = [
	{ kind: "note", path: "Garden/Compost.md", name: "" },
	{ kind: "note", path: "Garden/Compost café, and everything that belongs to its opening.md", name: "" },
	{ kind: "folder", path: "Projects/Compost", name: "" },
	{ kind: "heading", path: "Garden/Plan.md", name: "Compost" },
	{ kind: "tag", path: "", name: "#compost" },
] as const;

/** Gives the page things that can be named. */
export const withNames = (page: Page) =>
	page.evaluate((all) => void (window.dev.app.names = [...all]), names);

const conversations = Array.from({ length: 4 }, (_, n) => ({
	id: `c${n}`,
	title: [
		"Notes from the bullets of the garden",
		"Which notes mention compost?",
		"Tidy",
		"Move every meeting of 2024 into the archive, by month, and mend the links that point there",
	][n],
	updatedAt: `2026-11-${19 - n}T18:20:00.000Z`,
	turns: 1 + 3 * n,
}));

const spans = [
	{ id: "s0", name: "Update the compost note", kind: "run", startMs: 0, durationMs: 4200, status: "ok" },
	{ id: "s1", parent: "s0", name: "gpt-5.2", kind: "model", startMs: 10, durationMs: 1800, status: "ok" },
	{ id: "s2", parent: "s0", name: "policy", kind: "policy", startMs: 1812, durationMs: 1, status: "ok" },
	{
		id: "s3",
		parent: "s0",
		name: "vault.readFile",
		kind: "tool",
		startMs: 1820,
		durationMs: 12,
		status: "ok",
	},
	{
		id: "s4",
		parent: "s0",
		name: "http.request",
		kind: "tool",
		startMs: 1840,
		durationMs: 812,
		status: "ok",
	},
];

/** A plan of a thousand steps, each for itself. */
const planned = Array.from({ length: 1000 }, (_, n) => ({
	...review().steps[0]!,
	id: `step-${n}`,
	text: `Step ${n + 1} of many`,
}));

/** The states of the chat, and of plans and runs of many steps. */
export const chatScenes: Record<string, Scene> = {
	answer: {
		events: [
			ready,
			event("turn.ended", {
				turn: turn({
					phase: "done",
					outcome: "answer",
					text: "What should go into the heap?",
					reply: "Compost",
				}),
			}),
		],
		answers: { "reply.draw": { blocks: drawnAnswer } },
		after: async (page) => {
			await page.getByRole("link", { name: /^the docs/ }).waitFor();
			await page.getByRole("link", { name: /^more/ }).click();
		},
	},
	hollow: {
		events: [
			ready,
			event("turn.ended", {
				turn: turn({
					phase: "done",
					outcome: "answer",
					hollow: true,
					text: "Make a note about the heap in Garden.",
					reply: "I have created the note for you!",
				}),
			}),
		],
	},
	composing: {
		events: [ready],
		answers: { estimate: estimated },
		after: async (page) => {
			await attach(page);
			await page.getByText("Agent", { exact: true }).click();
			await page.getByRole("textbox", { name: "Message" }).fill("What should go into the heap this week?");
			await page.getByRole("meter").waitFor();
		},
	},
	naming: {
		events: [ready],
		after: async (page) => {
			await withNames(page);
			await page.getByRole("textbox", { name: "Message" }).pressSequentially("Tidy @comp");
			await page.getByRole("option").first().waitFor();
		},
	},
	"model-picker": {
		events: [ready],
		answers: {
			"models.list": {
				models: ["gpt-5.2", "gpt-5.2-mini", "o5-pro-with-a-very-long-name-indeed-2026-10-01"],
			},
		},
		after: async (page) => {
			await page.getByRole("button", { name: "Model" }).click();
			await page.getByRole("option", { name: "gpt-5.2-mini" }).waitFor();
		},
	},
	"agent-working": {
		events: [
			ready,
			event("turn.started", { turn: agent }),
			...calls,
			event("turn.text", { delta: { turn: "t1", text: "I have read the note and the forecast." } }),
		],
		after: async (page) => {
			await page.getByRole("textbox", { name: "Message" }).fill("Mention the frost");
		},
	},
	"agent-done": {
		events: [
			ready,
			event("turn.started", { turn: agent }),
			...calls.slice(0, 3),
			event("turn.ended", {
				turn: {
					...agent,
					phase: "done",
					outcome: "answer",
					reply: "The heap wants **cover** before the frost:\n\n- straw\n- leaves",
					canContinue: true,
					tracesUrl: "obsidian://embedded-agent?run=t1",
					usage: { input: 8123, output: 410, cost: 0.021, priced: true },
				},
			}),
		],
		answers: { "trace.get": { spans, otlp: "" }, estimate: estimated },
		after: async (page) => {
			await attach(page);
			await page.getByText("3 calls").click();
			await page.getByText("Activity").click();
			await page.getByText("http.request").last().waitFor();
		},
	},
	conversations: {
		events: [ready],
		answers: { "conversations.list": { conversations: conversations } },
		after: async (page) => {
			await page.getByRole("button", { name: "Conversations", exact: true }).click();
			await page.getByRole("button", { name: "More options for Tidy" }).click();
			await page.evaluate(() => window.dev.app.heard.menu[1]?.run());
			await page.getByLabel("Path of the note").waitFor();
		},
	},
	steps: {
		events: [
			ready,
			event("run.state", { run: runState({ total: 14, done: 9, text: words("9 of 14 done") }) }),
			agentCall(
				900,
				{ stepId: "read", tool: "editor.getSelection", paths: [], preview: "Read the selection" },
				"r1",
			),
			...Array.from({ length: 8 }, (_, n) => exec(n, "ok")),
			...[20, 21].map((n) =>
				event("exec", {
					exec: {
						type: "step.started",
						runId: "r1",
						timestamp: "",
						level: "info",
						message: "",
						call: call(n, {
							stepId: "links",
							tool: "vault.appendFile",
							index: n - 20,
							status: n === 20 ? "ok" : "running",
						}),
					},
				}),
			),
		],
	},
	"thousand-steps": {
		events: [
			ready,
			event("run.state", {
				run: runState({ total: 1000, done: 998, failed: 1, text: words("999 of 1,000 done") }),
			}),
			...Array.from({ length: 999 }, (_, n) =>
				agentCall(
					1000 + n,
					{
						stepId: `step-${n}`,
						paths: [`Projects/Community garden/Note ${n}.md`],
						status: n === 700 ? "error" : "ok",
					},
					"r1",
				),
			),
		],
	},
	"thousand-planned": {
		events: [ready, event("review.opened", { review: review({ steps: planned, calls: planned.length }) })],
		after: async (page) => {
			await page.locator(".ea-steps > summary").click();
			await page.locator(".ea-step-text").first().waitFor();
		},
	},
	"new-file": {
		events: [ready, event("review.opened", { review: review() })],
		answers: { "review.file": fileView("Projects/XYZ/Note 0.md") },
		after: async (page) => {
			await page.getByRole("button", { name: /Note 0/ }).click();
			await page.locator(".cm-editor").waitFor();
		},
	},
	"taken-back": {
		events: [
			event("state", {
				state: state({
					demo: true,
					run: runState({
						state: "finished",
						outcome: "ok",
						done: 10,
						text: words("“Ten notes” was taken back."),
						can: { ...runState().can, pause: false, cancel: false, save: true },
					}),
				}),
			}),
		],
	},
};
