// Constructed protocol values for tests and for the development page. Each
// function gives a whole, valid value and takes what a test wants otherwise.

import type {
	Action,
	CallView,
	Can,
	Event,
	FileChange,
	FileView,
	Message,
	Question,
	Review,
	RunState,
	RunSummary,
	State,
	ToolInfo,
	Turn,
} from "../../plugin/protocol";

/** Words that no catalogue has are shown as they are: enough for a fixture. */
export function words(text: string): Message {
	return { key: text };
}

const at = "2026-11-20T09:00:00.000Z";

export const can: Can = {
	revert: false,
	rest: false,
	save: false,
	pause: false,
	cancel: false,
	recover: false,
};

export function event(type: Event["type"], fields: Partial<Event> = {}): Event {
	return { type, at, ...fields };
}

export function turn(fields: Partial<Turn> = {}): Turn {
	return {
		id: "t1",
		conversation: "c1",
		text: "Create a note for each bullet of the selection in folder Projects/XYZ",
		phase: "asking",
		reply: "",
		...fields,
	};
}

export function runState(fields: Partial<RunState> = {}): RunState {
	return {
		run: "r1",
		state: "running",
		done: 0,
		failed: 0,
		skipped: 0,
		total: 10,
		text: { key: "panel.run.progress", params: { done: "0", total: "10" } },
		goal: "Create a note for each bullet",
		can: { ...can, pause: true, cancel: true },
		kind: "run",
		...fields,
	};
}

export function call(n: number, fields: Partial<CallView> = {}): CallView {
	return {
		callId: `call-${n}`,
		stepId: "notes",
		tool: "vault.createFile",
		index: n,
		attempt: 1,
		status: "ok",
		args: JSON.stringify({ path: `Projects/XYZ/Note ${n}.md`, content: `# Note ${n}\n` }),
		result: JSON.stringify({ path: `Projects/XYZ/Note ${n}.md`, created: true }),
		durationMs: 3 + (n % 7),
		paths: [`Projects/XYZ/Note ${n}.md`],
		deed: { key: "deed.created", params: { name: `Note ${n}` } },
		...fields,
	};
}

export function exec(n: number, status: CallView["status"], run = "r1"): Event {
	return event("exec", {
		exec: {
			type: status === "running" ? "step.started" : "step.finished",
			runId: run,
			timestamp: at,
			level: "info",
			message: "",
			callId: `call-${n}`,
			call: call(n, {
				status,
				preview: "Create one note per bullet",
				result: status === "running" ? "" : call(n).result,
				deed: {
					key: status === "ok" ? "deed.created" : "deed.created.doing",
					params: { name: `Note ${n}` },
				},
			}),
		},
	});
}

export function file(path: string, fields: Partial<FileChange> = {}): FileChange {
	return { path, status: "create", added: 3, removed: 0, bytes: 60, undoable: true, ...fields };
}

export function review(fields: Partial<Review> = {}): Review {
	return {
		run: "r1",
		goal: "Create a note for each bullet and replace the selection with links to them",
		assumptions: ["The selection holds Markdown bullets"],
		summary: [
			{ tone: "folder", text: words("Will create the folder Projects/XYZ") },
			{ tone: "create", text: words("Will create 10 notes under Projects/XYZ") },
			{
				tone: "modify",
				text: words("Will modify Inbox/Ideas for the garden.md"),
				paths: ["Inbox/Ideas for the garden.md"],
			},
		],
		files: [
			file("Projects/XYZ", { status: "mkdir", added: 0, bytes: 0 }),
			...Array.from({ length: 10 }, (_, n) => file(`Projects/XYZ/Note ${n}.md`)),
			file("Inbox/Ideas for the garden.md", { status: "modify", added: 10, removed: 10, bytes: 900 }),
		],
		steps: [
			{
				id: "read",
				tool: "editor.getSelection",
				text: "Read the selection",
				calls: 1,
				args: "{}",
				simulable: true,
				undoable: true,
			},
			{
				id: "notes",
				tool: "vault.createFile",
				text: "Create one note per bullet",
				calls: 10,
				args: '{"folder":"Projects/XYZ","title":"{bullet.title}"}',
				simulable: true,
				undoable: true,
			},
		],
		risk: "writes",
		calls: 13,
		dryRun: false,
		approvable: true,
		warnings: [],
		approval: "a1",
		plan: JSON.stringify({ goal: "Create notes", assumptions: [], riskLevel: "writes", steps: [] }, null, 2),
		amended: false,
		...fields,
	};
}

export function fileView(path: string, fields: Partial<FileView> = {}): FileView {
	const after = "# Compost\n\nTurn it every second week.\n";
	return {
		path,
		status: "create",
		before: "",
		after,
		alerts: [],
		hunks: [
			{
				beforeFrom: 0,
				beforeTo: 0,
				afterFrom: 0,
				afterTo: 3,
				removed: [],
				added: after.trimEnd().split("\n"),
			},
		],
		...fields,
	};
}

export function summary(fields: Partial<RunSummary> = {}): RunSummary {
	return {
		run: "r0",
		kind: "run",
		goal: "Tidy the reading list",
		startedAt: "2026-11-19T18:20:00.000Z",
		endedAt: "2026-11-19T18:20:04.000Z",
		outcome: "ok",
		files: 4,
		calls: 9,
		bytes: 5200,
		text: words("4 notes changed."),
		can: { ...can, revert: true },
		...fields,
	};
}

export function action(fields: Partial<Action> = {}): Action {
	return {
		id: "act1",
		name: "Notes from bullets",
		goal: "Create a note for each bullet of the selection",
		risk: "writes",
		fields: [],
		needsModel: false,
		kind: "plan",
		...fields,
	};
}

export function tool(name: string, fields: Partial<ToolInfo> = {}): ToolInfo {
	return {
		name,
		version: "1.0.0",
		lifecycle: "active",
		category: "data",
		sideEffects: "reads",
		description: "",
		enabled: true,
		simulable: true,
		...fields,
	};
}

export function question(fields: Partial<Question> = {}): Question {
	return {
		id: "q1",
		kind: "allow",
		text: words("Run the command “Daily notes: Open today's daily note”?"),
		reason: words("What a command does cannot be simulated and cannot be undone."),
		tool: "commands.run",
		args: '{"id":"daily-notes"}',
		...fields,
	};
}

export function state(fields: Partial<State> = {}): State {
	return { actions: [], recoveries: [], questions: [], notRun: [], demo: false, ready: true, ...fields };
}
