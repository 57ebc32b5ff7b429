import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
	name?: string;
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}
interface Job {
	permissions?: Record<string, string>;
	"timeout-minutes"?: number;
	steps: Step[];
}
interface Workflow {
	permissions?: Record<string, string>;
	jobs: Record<string, Job>;
}

const root = join(import.meta.dirname, "..");
const folder = join(root, ".github/workflows");
const text = (name: string) => readFileSync(join(root, name), "utf8");
const workflows = readdirSync(folder).map((name) => {
	const source = readFileSync(join(folder, name), "utf8");
	return { name, source, workflow: parse(source) as Workflow };
});
const jobs = workflows.flatMap(({ name, workflow }) =>
	Object.entries(workflow.jobs).map(([job, what]) => ({ name: `${name}: ${job}`, workflow, job: what })),
);
const steps = jobs.flatMap(({ name, job }) => job.steps.map((step) => ({ name, step })));

/** Targets of the Makefile. */
const targets = new Set([...text("Makefile").matchAll(/^([a-z][a-z-]*):/gm)].map(([, name]) => name));

describe("the workflows", () => {
	it("are a test of every change, and a release", () => {
		expect(workflows.map(({ name }) => name).sort()).toEqual(["release.yml", "test.yml"]);
		expect(steps.some(({ step }) => step.run === "make test")).toBe(true);
		expect(steps.some(({ step }) => step.run === "make flaky-part")).toBe(true);
		expect(steps.some(({ step }) => step.run === "make release")).toBe(true);
	});

	it("call targets of the Makefile that are there", () => {
		const called = steps.flatMap(({ step }) =>
			[...(step.run ?? "").matchAll(/\bmake ([a-z-]+)/g)].map(([, t]) => t),
		);
		expect(called.length).toBeGreaterThan(2);
		for (const target of called) expect(targets, target).toContain(target);
	});

	it("name files that are there, or that a release makes", () => {
		const made = new Set(
			text("scripts/release.mjs")
				.match(/"[\w.]+"/g)
				?.map((name) => name.slice(1, -1)),
		);
		for (const { step } of steps) {
			const file = step.with?.["go-version-file"];
			if (typeof file === "string") expect(existsSync(join(root, file)), file).toBe(true);
			for (const [, name] of (step.run ?? "").matchAll(/\bdist\/([\w.]+)/g))
				expect(made, name).toContain(name);
		}
	});

	it("use actions of GitHub alone, each pinned by its commit, with the version beside it", () => {
		const used = workflows.flatMap(({ source }) =>
			[...source.matchAll(/uses: (.*)$/gm)].map(([, what]) => what),
		);
		expect(used.length).toBe(steps.filter(({ step }) => step.uses).length);
		for (const what of used) expect(what).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
	});

	it("may read, and write only where a release is published", () => {
		for (const { workflow } of workflows) expect(workflow.permissions).toBeDefined();
		const writing = jobs.filter(({ workflow, job }) =>
			Object.values(job.permissions ?? workflow.permissions ?? {}).includes("write"),
		);
		expect(writing.map(({ name }) => name)).toEqual(["release.yml: publish"]);
		// What may write runs nothing of the project: no checkout, no make, no npm.
		for (const { step } of steps.filter(({ name }) => name === "release.yml: publish")) {
			expect(step.uses ?? "").not.toContain("checkout");
			expect(step.run ?? "").not.toMatch(/\b(make|npm|node|go run)\b/);
		}
	});

	it("end by themselves, and leave no credentials behind", () => {
		for (const { name, job } of jobs) expect(job["timeout-minutes"], name).toBeGreaterThan(0);
		const checkouts = steps.filter(({ step }) => step.uses?.startsWith("actions/checkout@"));
		expect(checkouts).toHaveLength(jobs.length - 1); // what publishes has none
		for (const { step } of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
		for (const { source } of workflows) expect(source).not.toContain("secrets.");
	});

	it("put no text of a stranger into a command", () => {
		for (const { name, step } of steps) expect(step.run ?? "", name).not.toContain("${{");
	});
});
