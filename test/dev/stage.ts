// The states of the panel that tests look at, and what they do with its page.

import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import type { Event } from "../../plugin/protocol";
import { built } from "../built";
import { buildPage, launch, open, type Look } from "./build";
import {
	action,
	call,
	can,
	event,
	exec,
	file,
	fileView,
	question,
	review,
	runState,
	state,
	summary,
	turn,
	words,
} from "./fixtures";

import { findingsScenes } from "./findings-scenes";
import { reviewScenes } from "./review-scenes";
import { savedScenes } from "./saved-scenes";

/** A browser and the page to open in it. */
export interface Stage {
	browser: Browser;
	html: string;
}

/** Builds the page, unless that is done, and starts the browser. */
export async function openStage(): Promise<Stage> {
	const page = process.env[built.stage];
	const [browser, html] = await Promise.all([launch(), page ? readFile(page, "utf8") : buildPage()]);
	return { browser, html };
}

/** Shows events on a page of its own; answers are what the core says, by method. */
export async function show(
	stage: Stage,
	events: Event[],
	look: Look = {},
	answers: Record<string, unknown> = {},
): Promise<Page> {
	const page = await open(stage.browser, stage.html, look);
	await page.evaluate(
		([events, answers]) => {
			Object.assign(window.dev.answers, answers);
			window.dev.tell(events);
		},
		[events, answers] as const,
	);
	return page;
}

/** Resolves when what was told has been drawn. */
export const settled = (page: Page) =>
	page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** What the core was asked by a method, in order. */
export const asked = (page: Page, method: string) =>
	page.evaluate((m) => window.dev.asked.filter((a) => a.method === m).map((a) => a.params), method);

/** A core that is up, with the demo model. */
export const ready = event("state", {
	state: state({ demo: true, actions: [action(), action({ id: "a2", name: "Daily review" })] }),
});
/** A review of everything that a run can do. */
export const mixed = review({
	summary: [
		{ tone: "create", text: words("Will create 10 notes under Projects/XYZ") },
		{ tone: "rename", text: words("Will rename Inbox/Old.md to Archive/Old.md") },
		{ tone: "delete", text: words("Will move Inbox/Scrap.md to the trash") },
		{ tone: "command", text: words("Will run the command “Daily notes: Open today's daily note”") },
	],
	files: [
		...review().files,
		file("Archive/Old.md", { status: "rename", from: "Inbox/Old.md", added: 0 }),
		file("Home.md", { status: "modify", added: 1, removed: 1, linksOnly: true }),
		file("Inbox/Scrap.md", { status: "trash", added: 0, removed: 40 }),
	],
	warnings: [words("Two bullets have the same title: the second note is named “Compost (2)”.")],
	risk: "commands",
});
/** Files that bear every badge, with short names and long ones. */
export const marked = [
	file("Id", { runs: 1, alike: "ld" }),
	file("Ideas for the garden.md", { status: "modify", added: 12, removed: 3, runs: 2 }),
	file("Projects/Garden/Summer of the year/Rain barrel and its many pipes.md", { runs: 1, loads: 1 }),
	file("Archive/A name that is longer than any panel at the side of the app has room for.md", {
		status: "rename",
		from: "Inbox/Old.md",
		added: 1,
		removed: 1,
		runs: 1,
		loads: 1,
		edited: true,
		undoable: false,
	}),
	file("Inbox/Donaudampfschifffahrtsgesellschaftskapitänsmützen.md", {
		status: "trash",
		added: 0,
		removed: 1234567,
		undoable: false,
	}),
	file("Home.md", { status: "modify", added: 1, removed: 1, linksOnly: true, edited: true }),
	file("Projects/A folder with a long name at a place", { status: "mkdir", added: 0, bytes: 0 }),
];
/** A file with two hunks. */
export const modified = fileView("Inbox/Ideas for the garden.md", {
	status: "modify",
	before:
		"# Ideas\n\n- Tomato trellis\n- Compost\n- Rain barrel\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\nSix.\n\nThe end.\n",
	after:
		"# Ideas\n\n- [[Tomato trellis]]\n- [[Compost]]\n- Rain barrel\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\nSix.\n\nThe very end.\n",
	hunks: [
		{
			beforeFrom: 2,
			beforeTo: 4,
			afterFrom: 2,
			afterTo: 4,
			removed: ["- Tomato trellis", "- Compost"],
			added: ["- [[Tomato trellis]]", "- [[Compost]]"],
		},
		{
			beforeFrom: 18,
			beforeTo: 19,
			afterFrom: 18,
			afterTo: 19,
			removed: ["The end."],
			added: ["The very end."],
		},
	],
});
const thousand = Array.from({ length: 1000 }, (_, n) => exec(n, n % 97 === 5 ? "error" : "ok"));

/** A state of the panel, and how a person gets there from what the core tells. */
export interface Scene {
	events: Event[];
	answers?: Record<string, unknown>;
	after?: (page: Page) => Promise<void>;
}

/** Every state that is looked at. */
export const scenes: Record<string, Scene> = {
	...savedScenes,
	...findingsScenes,
	...reviewScenes,
	empty: { events: [ready] },
	"needs-model": { events: [event("state", { state: state({ ready: false, actions: [action()] }) })] },
	streaming: {
		events: [
			ready,
			event("turn.started", { turn: turn() }),
			event("turn.text", {
				delta: {
					turn: "t1",
					text: "I will make one note for **each of the ten bullets**:\n\n1. Read the selection\n2. Create the notes\n\n```md\n# Compost\n```",
				},
			}),
		],
		after: async (page) => {
			await page.evaluate(() =>
				window.dev.select("Inbox/Ideas for the garden.md", "- Tomato trellis\n- Compost"),
			);
		},
		answers: { estimate: { snippet: "- Tomato trellis - Compost - Rain barrel …", tokens: 212 } },
	},
	review: {
		events: [
			ready,
			event("turn.ended", {
				turn: turn({
					phase: "done",
					outcome: "plan",
					reply: "One note for each of the 10 bullets.",
					run: "r1",
				}),
			}),
			event("review.opened", { review: mixed }),
		],
		answers: { "review.file": modified },
		after: async (page) => {
			await page.getByRole("button", { name: /Ideas for the garden/ }).click();
			await page.locator(".cm-editor").first().waitFor();
		},
	},
	running: {
		events: [
			ready,
			event("run.state", {
				run: runState({
					total: 1300,
					done: 990,
					failed: 11,
					leftMs: 4200,
					text: words("1,001 of 1,300 notes made"),
				}),
			}),
			...thousand,
		],
	},
	finished: {
		events: [
			ready,
			event("turn.ended", { turn: turn({ phase: "done", outcome: "plan", reply: "Done.", run: "r1" }) }),
			...thousand.slice(6, 16),
			event("run.state", {
				run: runState({
					state: "finished",
					outcome: "ok",
					done: 10,
					text: words("10 notes made."),
					can: { ...can, revert: true, save: true },
				}),
			}),
		],
		answers: { "run.get": { summary: summary(), files: review().files, calls: [], plan: "{}" } },
	},
	failed: {
		events: [
			ready,
			exec(1, "ok"),
			event("exec", {
				exec: {
					type: "step.failed",
					runId: "r1",
					timestamp: "",
					level: "error",
					message: "",
					call: call(2, {
						status: "error",
						result: "",
						problem: {
							code: "CONFLICT",
							key: "error.vault.changed",
							params: { path: "Projects/XYZ/Note 2.md" },
						},
					}),
				},
			}),
			event("run.state", {
				run: runState({
					state: "finished",
					outcome: "partial",
					done: 7,
					failed: 1,
					skipped: 2,
					text: words("7 of 10 notes made, 1 failed, 2 not reached."),
					can: { ...can, revert: true, rest: true },
				}),
			}),
		],
	},
	"marked-files": { events: [ready, event("review.opened", { review: review({ files: marked }) })] },
	"marked-changes": {
		events: [ready],
		answers: {
			"runs.list": { bytes: 1_250_000, runs: [summary()] },
			"run.get": {
				summary: summary({ can: { ...can, revert: true } }),
				files: marked.slice(0, 5),
				calls: [],
				plan: "{}",
			},
		},
		after: async (page) => {
			await page.getByRole("button", { name: "History", exact: true }).click();
			await page.getByRole("button", { name: /Tidy the reading list/ }).click();
		},
	},
	recovery: {
		events: [
			event("state", {
				state: state({
					recoveries: [
						summary({
							run: "r7",
							text: words("4 of 10 notes were made."),
							stands: "interrupted",
							choices: ["finish", "revert", "keep"],
						}),
					],
				}),
			}),
		],
	},
	question: {
		events: [
			ready,
			event("question.opened", { question: question() }),
			event("question.opened", {
				question: question({
					id: "q3",
					text: words("Send this to bücher.example.org now?"),
					tool: "http.send",
					args: undefined,
					requests: [
						{
							method: "POST",
							url: `https://xn--bcher-kva.example.org/in?from=${"notes".repeat(40)}`,
							host: "xn--bcher-kva.example.org",
							shown: "bücher.example.org",
							headers: [
								{ name: "Authorization", value: "Bearer {{secret:weather}}" },
								{ name: "X-Long", value: "x".repeat(300) },
							],
							body: `${"Dear all, ".repeat(300)}\u202eEND`,
							bytes: 3004,
							keys: [{ name: "weather", new: true, redirects: true }],
						},
					],
				}),
			}),
			event("question.opened", {
				question: question({
					id: "q4",
					args: undefined,
					commands: [{ id: "workspace:split-vertical", name: "Split right" }],
				}),
			}),
			event("question.opened", {
				question: question({
					id: "q2",
					kind: "parameters",
					text: words("“Notes from bullets” needs two values."),
					reason: undefined,
					tool: undefined,
					fields: [
						{ name: "folder", label: words("Folder"), kind: "folder", value: "Projects" },
						{ name: "when", label: words("Day"), kind: "date", value: "2026-11-20" },
						{ name: "kind", label: words("Kind"), kind: "choice", value: "b", choices: ["a", "b"] },
					],
				}),
			}),
		],
	},
	conflict: {
		events: [
			ready,
			event("run.state", {
				run: runState({
					state: "finished",
					outcome: "ok",
					done: 10,
					text: words("3 notes changed."),
					can: { ...can, revert: true },
				}),
			}),
		],
		answers: {
			"run.revert": {
				run: "r2",
				restored: ["a.md", "b.md"],
				merged: [],
				kept: [],
				notUndone: [],
				conflicts: [{ path: "Home.md", before: "Welcome.\n", after: "Hello.\n", now: "Good day.\n" }],
			},
		},
		after: async (page) => {
			await page.getByRole("button", { name: "Revert last run", exact: true }).click();
			await page.getByText("Write the text yourself").click();
		},
	},
	history: {
		events: [ready],
		answers: {
			"runs.list": {
				bytes: 1_250_000,
				runs: [
					summary({ run: "r4", outcome: "waiting" }),
					summary({ run: "r3", outcome: "partial" }),
					summary({ run: "r2", kind: "revert", goal: "Tidy the reading list" }),
					summary(),
				],
			},
			"run.get": { summary: summary(), files: review().files, calls: [call(1), call(2)], plan: "{}" },
			"run.verify": { ok: true, records: 41, problems: [] },
		},
		after: async (page) => {
			await page.getByRole("button", { name: "History", exact: true }).click();
			await page
				.getByRole("button", { name: /Tidy the reading list/ })
				.first()
				.click();
			await page.getByRole("button", { name: "Verify" }).click();
		},
	},
	import: {
		events: [ready],
		answers: {
			"actions.import": {
				actions: [action({ risk: "commands" })],
				review: [words("May create and change notes in Projects.")],
				kept: false,
			},
		},
		after: async (page) => {
			await page.evaluate(() => (window.dev.controller.screen = "import"));
			await page.getByLabel("Or paste the JSON").fill("{}");
			await page.getByRole("button", { name: "Preview" }).click();
		},
	},
};
