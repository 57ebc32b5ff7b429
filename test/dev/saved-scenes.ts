// The states of saved actions, tools and community plugins that tests look at.

import type { ActionDetail, Imported, Message, Plugins, ToolInfo } from "../../plugin/protocol";
import { action, event, state, tool, words } from "./fixtures";
import type { Scene } from "./stage";

/** Every kind of tool that the selector tells apart. */
export const toolbox: ToolInfo[] = [
	tool("vault.createFile", { sideEffects: "writes", description: "Creates a note." }),
	tool("vault.readFile", { description: "Reads a note." }),
	tool("vault.oldRead", {
		description: "Reads a note.",
		lifecycle: "deprecated",
		replacement: "vault.readFile",
		usedBy: ["Notes from bullets"],
	}),
	tool("http.request", {
		category: "web",
		description: "Asks a web address.",
		auth: "set",
		secretScope: "organisation",
		pinned: true,
	}),
	tool("weather.today", { category: "web", description: "Tells the weather.", auth: "missing" }),
	tool("commands.run", {
		category: "app",
		sideEffects: "commands",
		description: "Runs a command of the palette.",
		enabled: false,
		refused: words("Commands are switched off."),
	}),
	tool("agent.run", { category: "agent", description: "Asks a model, which may use tools." }),
];

const plan = {
	goal: "A note with the weather",
	assumptions: [],
	steps: [
		{
			id: "read",
			tool: "vault.oldRead",
			version: "1.0.0",
			args: { path: "Inbox/Ideas.md" },
			preview: "Read the ideas",
		},
		{
			id: "ask",
			tool: "agent.run",
			args: {
				prompt: "What is the weather?",
				pins: [
					{ name: "weather", selector: { tool: "weather.today", strategy: "latest" }, on_missing: "null" },
				],
			},
			foreach: {
				from: "$steps.read.items",
				itemName: "idea",
				when: [{ property: "due", op: "<", value: "today" }],
			},
			when: [{ property: "$steps.read.count", op: ">", value: 0 }],
			dependsOn: ["read"],
		},
	],
};

/** An action opened: a deprecated tool, and an agent step with a pin. */
export function detail(fields: Partial<ActionDetail> = {}): ActionDetail {
	return {
		action: action({ id: "weather", name: "Weather note", group: "Garden", icon: "play", kind: "template" }),
		plan: JSON.stringify(plan),
		prompt: "",
		steps: [
			{
				id: "read",
				tool: "vault.oldRead",
				version: "1.0.0",
				title: "Read the ideas",
				input: "{}",
				dependsOn: [],
				deprecated: true,
				secretScope: "vault",
			},
			{ id: "ask", tool: "agent.run", title: "", input: "{}", dependsOn: ["read"] },
		],
		problems: [],
		...fields,
	};
}

/** What the official list has for a question. */
export const plugins: Plugins = {
	fetchedAt: "2026-11-18T09:00:00.000Z",
	offline: true,
	plugins: [
		{
			id: "obsidian-kanban",
			name: "Kanban",
			author: "mgmeyers",
			description: "Create Markdown-backed Kanban boards in Obsidian.",
			repo: "mgmeyers/obsidian-kanban",
			installed: true,
		},
		{
			id: "tasks",
			name: "Tasks",
			author: "Clare Macrae",
			description: "Track tasks across your vault.",
			repo: "obsidian-tasks-group/obsidian-tasks",
		},
	],
};

const name = "Tidy up and send a weekly report of everything that was done";

/** What the core says of an action that does the gravest things, where only the run can tell where. */
export const reached: Message[] = [
	{ key: "import.sends", params: { name, goal: "A report of the week" } },
	{ key: "import.deletes", params: { name, goal: "A report of the week" } },
	{ key: "import.anywhere", params: { name, n: "1", names: name } },
	{ key: "import.hosts", params: { name, n: "1", names: "reports.a-long-name-of-a-server.example.com" } },
	{ key: "import.anyCommand", params: { name, n: "1", names: name } },
	{ key: "import.model", params: { name, n: "1", names: name } },
];

/** The same before it sent and deleted anything: it wrote in places that are known. */
export const reachedBefore: Message[] = [
	{
		key: "import.inFolders",
		params: { name, n: "2", names: "Projects/2026/A folder with a long name, Inbox" },
	},
	...reached.slice(3),
];

/** An import that was looked at and not kept. */
export const imported: Imported = {
	actions: [
		action({
			id: "i1",
			name,
			goal: "A report of the week",
			risk: "commands",
			warnings: [{ key: "panel.tool.gone" }],
		}),
	],
	review: reached,
	kept: false,
};

/** Own actions in a group and without, and one that comes with the plugin. */
export const grouped = [
	action({ id: "a1", name: "Notes from bullets" }),
	action({ id: "a2", name: "Water the beds", group: "Garden", icon: "list" }),
	action({ id: "a3", name: "Weather note", group: "Garden", needsModel: true }),
	action({ id: "b1", name: "Folder index", bundled: true }),
	action({ id: "b2", name: "Roll over tasks", bundled: true }),
];

const ready = event("state", { state: state({ actions: grouped }) });

export const savedScenes: Record<string, Scene> = {
	actions: { events: [ready] },
	"action-open": {
		events: [ready],
		answers: { "action.get": detail(), "tools.list": { tools: toolbox } },
		after: async (page) => {
			await page.evaluate(() => window.dev.controller.openAction("weather"));
			await page.getByRole("button", { name: /agent\.run/ }).click();
			await page.getByRole("button", { name: "Tool: agent.run" }).click();
			await page.getByRole("button", { name: /vault\.readFile$/ }).waitFor();
		},
	},
	"action-touches": {
		events: [ready],
		answers: { "action.get": detail({ touches: reached }), "tools.list": { tools: toolbox } },
		after: async (page) => {
			await page.evaluate(() => window.dev.controller.openAction("weather"));
			await page.getByText("What it may do").click();
		},
	},
	"action-beyond": {
		events: [ready],
		answers: {
			"action.get": detail({ touches: reachedBefore }),
			"action.put": detail({ touches: reached, beyond: reached.slice(0, 3) }),
			"tools.list": { tools: toolbox },
		},
		after: async (page) => {
			await page.evaluate(() => window.dev.controller.openAction("weather"));
			await page.getByRole("button", { name: "Save", exact: true }).click();
			await page.getByRole("status", { name: "After this change, it may also do the following" }).waitFor();
		},
	},
	"import-gravest": {
		events: [ready],
		answers: { "actions.import": imported },
		after: async (page) => {
			await page.evaluate(() => (window.dev.controller.screen = "import"));
			await page.getByLabel("Or paste the JSON").fill("{}");
			await page.getByRole("button", { name: "Preview" }).click();
			await page.getByRole("button", { name: "Import these actions" }).waitFor();
		},
	},
	"action-bundled": {
		events: [ready],
		answers: { "action.get": detail({ action: action({ name: "Folder index", bundled: true }) }) },
		after: async (page) => {
			await page.evaluate(() => window.dev.controller.openAction("b1"));
			await page.getByRole("button", { name: /Read the ideas vault.oldRead/ }).click();
		},
	},
	tools: {
		events: [ready],
		answers: { "tools.list": { tools: toolbox } },
		after: async (page) => {
			await page.evaluate(() => (window.dev.controller.screen = "tools"));
			await page.getByLabel("Show 1 deprecated tool").check();
		},
	},
	plugins: {
		events: [ready],
		answers: { "plugins.search": plugins },
		after: async (page) => {
			await page.evaluate(() => (window.dev.controller.screen = "plugins"));
			await page.getByRole("searchbox", { name: "What do you need help with?" }).fill("kanban board");
			await page.getByRole("button", { name: "Search", exact: true }).click();
			await page.getByText("May help: Tasks by Clare Macrae").waitFor();
		},
	},
};
