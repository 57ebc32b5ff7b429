import { describe, expect, it } from "vitest";
import {
	addStep,
	changeStep,
	closePlan,
	moveStep,
	NotJSON,
	openPlan,
	removeStep,
	toolsOf,
	withTools,
} from "./plan-edit";

const plan = {
	goal: "Notes from bullets",
	assumptions: ["There are bullets"],
	defaults: { onError: "stop" },
	steps: [
		{ id: "read", tool: "editor.getSelection", args: {} },
		{
			id: "notes",
			tool: "vault.createFile",
			version: "1.2.0",
			args: { path: "{bullet.title}.md", content: "" },
			foreach: {
				from: "$steps.read.bullets",
				itemName: "bullet",
				concurrency: 4,
				when: [
					{ property: "due", op: "<", value: "today" },
					{ property: "size", op: ">=", value: 5 },
					{ property: "code", value: "5" },
					{ property: "tags", op: "missing" },
				],
			},
			when: [{ property: "$steps.read.count", op: "!=", value: 0 }],
			dependsOn: ["read"],
			preview: "One note each",
			retry: { maxAttempts: 2 },
		},
		{
			id: "ask",
			tool: "agent.run",
			args: {
				prompt: "Sum up",
				pins: [
					{
						name: "weather",
						selector: { tool: "http.request", strategy: "by_call_id", call_id: "c1" },
						on_missing: "error",
					},
				],
			},
		},
	],
};

const json = JSON.stringify(plan);

describe("a plan that is edited", () => {
	it("comes back as it was when nothing is changed, with all that no form shows", () => {
		expect(JSON.parse(closePlan(openPlan(json)))).toEqual(plan);
	});

	it("shows what has to hold for a step and for an item, and takes a change of it", () => {
		const draft = openPlan(json);
		expect(draft.steps[1]).toMatchObject({
			when: [{ property: "$steps.read.count", op: "!=", value: "0" }],
			loopWhen: [
				{ property: "due", op: "<", value: "today" },
				{ property: "size", op: ">=", value: "5" },
				{ property: "code", op: "", value: '"5"' },
				{ property: "tags", op: "missing", value: "" },
			],
		});
		const changed = changeStep(draft, 1, {
			when: [],
			loopWhen: [
				{ property: "due", op: "exists", value: "left over" },
				{ property: "size", op: "<", value: "[1, 2]" },
			],
		});
		const step = (JSON.parse(closePlan(changed)) as typeof plan).steps[1];
		expect(step).not.toHaveProperty("when");
		expect(step?.foreach?.when).toEqual([
			{ property: "due", op: "exists" },
			{ property: "size", op: "<", value: [1, 2] },
		]);
	});

	it.each([
		["a condition with a field that no form has", { property: "a", note: "b" }],
		["what is no condition", "yes"],
		["a text that looks like JSON", [{ property: "a", value: "null" }]],
		["an empty text", [{ property: "a", op: "=", value: "" }]],
		["no value at all", [{ property: "a", op: "=" }]],
	])("keeps %s", (_name, when) => {
		const strange = { ...plan, steps: [{ id: "a", tool: "vault.query", args: {}, when }] };
		expect(JSON.parse(closePlan(openPlan(JSON.stringify(strange))))).toEqual(strange);
	});

	it("shows a step by its parts", () => {
		expect(openPlan(json).steps[1]).toMatchObject({
			title: "One note each",
			version: "1.2.0",
			from: "$steps.read.bullets",
			item: "bullet",
			dependsOn: ["read"],
		});
		expect(openPlan(json).steps[2]?.pins).toEqual([
			{ name: "weather", tool: "http.request", strategy: "by_call_id", callId: "c1", onMissing: "error" },
		]);
	});

	it("adds a step with a free id, moves it, and takes one out with all that waits for it", () => {
		const added = addStep(addStep(openPlan(json), "vault.createFile"), "vault.createFile");
		expect(added.steps.map((s) => s.id)).toEqual(["read", "notes", "ask", "createFile", "createFile2"]);
		expect(moveStep(added, 4, -1).steps.map((s) => s.id)).toEqual([
			"read",
			"notes",
			"ask",
			"createFile2",
			"createFile",
		]);
		expect(moveStep(added, 0, -1)).toBe(added);
		const left = removeStep(added, 0);
		expect(left.steps.map((s) => s.dependsOn)).toEqual([[], [], [], []]);
	});

	it("says which step's arguments are no JSON object", () => {
		for (const input of ["{", "[]", "1"]) {
			const broken = changeStep(openPlan(json), 1, { input });
			expect(() => closePlan(broken), input).toThrow(NotJSON);
		}
		expect(JSON.parse(closePlan(changeStep(openPlan(json), 0, { input: " " })))).toEqual(plan);
	});

	it("takes a list that is written out as a list, and anything else as a reference", () => {
		const from = (text: string) => {
			const changed = JSON.parse(closePlan(changeStep(openPlan(json), 0, { from: text }))) as typeof plan;
			return changed.steps[0]?.foreach;
		};
		expect(from('["a", "b"]')).toEqual({ from: ["a", "b"], itemName: "item" });
		expect(from("$steps.x.items")).toEqual({ from: "$steps.x.items", itemName: "item" });
		expect(from("")).toBeUndefined();
	});

	it("leaves the pins out when the step is another tool's", () => {
		const other = changeStep(openPlan(json), 2, { tool: "vault.readFile" });
		expect((JSON.parse(closePlan(other)) as typeof plan).steps[2]?.args).toEqual({ prompt: "Sum up" });
	});

	it("opens what is no plan as an empty one", () => {
		expect(openPlan("").steps).toEqual([]);
		expect(openPlan("[1]").goal).toBe("");
	});
});

describe("the tools of an agent step", () => {
	it("are read from its arguments, and put there with all else kept", () => {
		const input = JSON.stringify({ prompt: "p", tools: ["vault.readFile"] });
		expect(toolsOf(input)).toEqual(["vault.readFile"]);
		expect(toolsOf("")).toEqual([]);
		expect(JSON.parse(withTools(input, ["tags.list"]))).toEqual({ prompt: "p", tools: ["tags.list"] });
		expect(JSON.parse(withTools(input, []))).toEqual({ prompt: "p" });
	});

	it("are not offered where the arguments are no JSON, or name them by a reference", () => {
		for (const input of ["{", "[]", "7", '{"tools":"$steps.a.names"}', '{"tools":[1]}']) {
			expect(toolsOf(input), input).toBeUndefined();
		}
	});
});
