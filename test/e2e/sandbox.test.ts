/** Scripts that try to get out, in the app's own workers, on the release bytes. */
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../bridge/client";
import { hashFolder } from "./harness";
import { leave, sitDown } from "./person";

afterAll(leave);

/** One attempt for each class; plugin/host/sandbox.test.ts and the Go tests make many. */
const escapes: Record<string, string> = {
	recursion:
		Array.from({ length: 2000 }, (_, i) => `def f${i}(x): return f${i + 1}(x)`).join("\n") +
		"\ndef f2000(x): return [x][1]\ndef main(x): return f0(x)",
	integers: "def main(x):\n  n = 3\n  while True: n = n * n",
	doubling: "def main(x):\n  s = 'a'\n  while True: s = s + s",
	nesting: "def main(x):\n  l = []\n  for i in range(2000000): l = [l]\n  return str(l)",
	loops: "def main(x):\n  while True: pass",
	output: "def main(x):\n  l = [1]\n  for i in range(40): l = [l, l]\n  return l",
	objects: "def main(x): return x.constructor",
};

/** Attempts that the check of the plan finds, so that nothing of it begins. */
const found: Record<string, string> = {
	imports: "load('os', 'a')\ndef main(x): return a",
	names: "def main(x): return window.app",
};

/** A plan that makes every attempt, computes honestly after each, and writes what came of that. */
function plan(): object {
	const steps: object[] = [];
	for (const [name, script] of Object.entries(escapes)) {
		steps.push({ id: name, tool: "code.run", args: { script, input: "x" }, onError: "skip" });
		steps.push({
			id: `${name}_after`,
			tool: "code.run",
			args: { script: "def main(x): return x * 2", input: name },
		});
		steps.push({
			id: `${name}_note`,
			tool: "vault.createFile",
			args: { path: `Escapes/${name}.md`, content: `$steps.${name}_after.value` },
		});
	}
	return { version: 1, goal: "Try to get out", steps };
}

test(
	"no script gets out or stops anything else, and the run beside goes on",
	{ timeout: 300_000 },
	async () => {
		const person = await sitDown({ settings: { codeMaxMs: 1500, codeMaxMb: 64 } });
		onTestFinished(() => person.standUp());
		const before = hashFolder(person.vault);
		const seen = await person.page.evaluate(
			async (json) => {
				const { plugins } = window.app as unknown as {
					plugins: { plugins: Record<string, { core(): Promise<Client> }> };
				};
				const core = await (plugins.plugins["embedded-agent"] as { core(): Promise<Client> }).core();
				const wait = <T>(pick: (event: Parameters<Parameters<Client["subscribe"]>[0]>[0]) => T | undefined) =>
					new Promise<T>((resolve) => {
						const end = core.subscribe((event) => {
							const found = pick(event);
							if (found === undefined) return;
							end();
							resolve(found);
						});
					});
				await core.request("actions.import", { json, confirm: true });
				const { actions } = await core.request("actions.list", {});
				const opened = wait((event) => (event.type === "review.opened" ? event.review : undefined));
				await core.request("actions.run", { id: actions.find(({ name }) => name === "Escapes")?.id ?? "" });
				let answers = 0; // the core answers all the time
				let open = true;
				const asking = (async () => {
					while (open) {
						await core.request("state", {});
						answers++;
						await new Promise((resolve) => window.setTimeout(resolve, 0));
					}
				})();
				const review = await opened;
				open = false;
				await asking;
				const ended = wait((event) =>
					event.type === "run.state" && event.run?.state === "finished" ? event.run : undefined,
				);
				await core.request("review.approve", { run: review.run, approval: review.approval });
				const run = await ended;
				await core.request("run.revert", { run: review.run });
				return {
					steps: review.steps,
					outcome: run.outcome,
					answers,
					phase: core.status.phase,
				};
			},
			JSON.stringify({
				format: "embedded-agent/actions",
				version: 1,
				actions: [{ id: "", name: "Escapes", plan: plan() }],
			}),
		);
		for (const name of Object.keys(escapes)) {
			expect(seen.steps.find(({ id }) => id === name)?.problem?.code, name).toBe("SANDBOX_ERROR");
			expect(seen.steps.find(({ id }) => id === `${name}_after`)?.problem, name).toBeUndefined();
		}
		expect(seen.phase).toBe("ready");
		// A core that waited for its scripts, two for each attempt, would answer between them alone.
		expect(seen.answers).toBeGreaterThan(2 * Object.keys(escapes).length);
		expect(hashFolder(person.vault)).toEqual(before);
		expect(person.playground.errors).toEqual([]);
	},
);

test("a script that names what is outside is refused before anything begins", async () => {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	const before = hashFolder(person.vault);
	const steps = (script: string) => [
		{ id: "out", tool: "code.run", args: { script, input: "x" } },
		{ id: "note", tool: "vault.createFile", args: { path: "Out.md", content: "$steps.out.value" } },
	];
	const actions = Object.entries(found).map(([name, script]) => ({
		id: "",
		name,
		plan: { version: 1, goal: name, steps: steps(script) },
	}));
	const refused = await person.page.evaluate(
		async ([json, names]) => {
			const { plugins } = window.app as unknown as {
				plugins: { plugins: Record<string, { core(): Promise<Client> }> };
			};
			const core = await (plugins.plugins["embedded-agent"] as { core(): Promise<Client> }).core();
			await core.request("actions.import", { json, confirm: true });
			const told: string[] = [];
			for (const { id, name } of (await core.request("actions.list", {})).actions) {
				if (!names.includes(name)) continue;
				const ended = new Promise<string>((resolve) => {
					const end = core.subscribe((event) => {
						const problem = event.turn?.problem ?? event.review?.problem;
						if (!problem) return;
						end();
						resolve(JSON.stringify(problem));
					});
				});
				const failed = core.request("actions.run", { id }).then(
					() => ended,
					(error: unknown) => JSON.stringify(error),
				);
				told.push(await failed);
			}
			return told;
		},
		[JSON.stringify({ format: "embedded-agent/actions", version: 1, actions }), Object.keys(found)] as const,
	);
	expect(refused).toHaveLength(2);
	for (const problem of refused) expect(problem).toContain("The script in this step cannot work");
	expect(hashFolder(person.vault)).toEqual(before);
});
