// The sandbox as it is in the app, with worker threads of Node in place of the browser's workers.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SandboxHost } from "./sandbox";
import { limitMemory } from "../../bridge/module";
import { ProblemError } from "../../bridge/problem";
import type { Sandbox, Sandboxed } from "../../bridge/protocol.gen";
import { NodeWorker, nodeSource, nodeWorkerSource, packedCore } from "../../bridge/test/node";

let text: string;
let worker: string;
let source: ReturnType<typeof nodeSource>;
let host: SandboxHost;

beforeAll(async () => {
	text = await packedCore("./wasm", "core.wasm");
	worker = await nodeWorkerSource();
	source = nodeSource(text, worker);
	host = new SandboxHost(source);
}, 240_000);
afterAll(() => host.close());

const honest = "def main(x):\n  return x['text'] * 2";
const never = new AbortController().signal;

async function run(script: string, more: Partial<Sandbox> = {}, signal = never, input = '{"text":"x"}') {
	const whole = {
		script,
		input: 0,
		now: "2026-11-20T09:30:00Z",
		maxSteps: 0,
		maxMs: 1500,
		maxMb: 64,
	};
	const answer = await host.methods()["sandbox.run"](
		{ ...whole, ...more },
		{
			signal,
			blobs: [new TextEncoder().encode(input)],
		},
	);
	return answer as Sandboxed;
}

/** The code of a failure, or of what is wrong with the script. */
async function failure(script: string, more: Partial<Sandbox> = {}): Promise<string> {
	try {
		const answer = await run(script, more);
		return answer.error ? `script: ${answer.error}` : `it gave ${answer.output.slice(0, 80)}`;
	} catch (error) {
		return error instanceof ProblemError ? `${error.problem.code} ${error.problem.key}` : String(error);
	}
}

const STOPPED = /^(script: |SANDBOX_ERROR tools\.code\.(time|died)$)/;

/** One attempt and more of each class; child_test.go makes all of them. */
const escapes: Record<string, string[]> = {
	imports: ["load('os', 'a')\ndef main(x): return a", "import os"],
	recursion: [
		"def main(x): return main(x)",
		"def main(x): return re.sub('x', lambda m: main(x), x['text'])",
		Array.from({ length: 2000 }, (_, i) => `def f${i}(x): return f${i + 1}(x)`).join("\n") +
			"\ndef f2000(x): return y\ndef main(x): return f0(x)",
	],
	"giant integers": [
		"def main(x):\n  n = 3\n  while True: n = n * n",
		"def main(x): return int('9' * 20000000)",
	],
	"text that doubles": [
		"def main(x):\n  s = 'a'\n  while True: s = s + s",
		"def main(x):\n  s = 'aaaa'\n  for i in range(40): s = re.sub('a', 'aaaa', s)\n  return len(s)",
	],
	"deep nesting": [
		"def main(x):\n  l = []\n  for i in range(2000000): l = [l]\n  return str(l)",
		`def main(x): return ${"(".repeat(30000)}1${")".repeat(30000)}`,
		`def main(x): return ${"not ".repeat(900)}y`,
	],
	"endless loops": ["def main(x):\n  while True: pass", "def main(x): return max(range(1 << 40))"],
	"huge output": [
		"def main(x): return 'a' * 100000000",
		"def main(x):\n  l = [1]\n  for i in range(40): l = [l, l]\n  return l",
	],
	"the host's objects": [
		"def main(x): return window",
		"def main(x): return main.__globals__",
		"def main(x): return self.postMessage",
	],
};

describe("a script", () => {
	test("is run with its input, and the next one in the same worker", async () => {
		expect(await run(honest)).toMatchObject({ output: '"xx"' });
		expect(await run("def main(x): return [time.now(), re.findall('[a-z]', x['text'])]")).toMatchObject({
			output: '["2026-11-20T09:30:00Z",["x"]]',
		});
		expect(source.workers).toHaveLength(1);
	});

	test.each(
		Object.entries(escapes).flatMap(([name, all]) => all.map((script, i) => [name, i + 1, script] as const)),
	)("does not escape: %s %i", { timeout: 60_000 }, async (_name, _i, script) => {
		expect(await failure(script)).toMatch(STOPPED);
		expect(await run(honest, { maxMs: 30_000 })).toMatchObject({ output: '"xx"' });
	});

	test("that is over its time is ended, and compiled code is kept for the next worker", async () => {
		await run(honest);
		const before = { workers: source.workers.length, asked: source.asked };
		// It takes time, and no more memory the longer it goes on.
		const long = "def main(x):\n  n = 3\n  for i in range(17): n = n * n\n  while True: m = n * n";
		expect(await failure(long, { maxMs: 300 })).toBe("SANDBOX_ERROR tools.code.time");
		await run(honest, { maxMs: 30_000 });
		expect(source.workers).toHaveLength(before.workers + 1);
		expect(source.asked).toBe(before.asked);
	});

	test("has room for a list as large as a vault: 47,000 links in and out", { timeout: 120_000 }, async () => {
		// 256: what the core gives a script that may have 128, with an input of 8 MB.
		const links = Array.from({ length: 47_000 }, (_, i) => ({
			path: `Notes/Folder ${i % 90}/Note ${i % 6591}.md`,
			target: `Notes/Folder ${i % 70}/Other note ${i}.md`,
			line: i % 200,
			text: `a line with a link to [[Other note ${i}]] in it`,
			resolved: i % 3 === 0,
		}));
		const script = "def main(x):\n  return [l for l in x if not l['resolved']] + [len(x)]";
		for (let time = 0; time < 3; time++) {
			const answer = await run(script, { maxMs: 60_000, maxMb: 256 }, never, JSON.stringify(links));
			expect(answer.error ?? "").toBe("");
			const rows = JSON.parse(answer.output) as unknown[];
			expect(rows.at(-1)).toBe(47_000);
			expect(rows).toHaveLength(31_334);
		}
	});

	test("that takes all memory dies alone", async () => {
		expect(
			await failure("def main(x):\n  l = []\n  while True: l.append('a' * 100000)", { maxMs: 30_000 }),
		).toBe("SANDBOX_ERROR tools.code.died");
	});

	test("waits for the one before it", async () => {
		const both = await Promise.all([run(honest), run("def main(x): return 1")]);
		expect(both.map((r) => r.output)).toEqual(['"xx"', "1"]);
	});

	test("that is cancelled ends, and those behind it run", async () => {
		await run(honest);
		const posted = vi.spyOn(source.workers.at(-1) as NodeWorker, "postMessage");
		const abort = new AbortController();
		const long = run("def main(x):\n  n = 3\n  while True: n = n * n", { maxMs: 60_000 }, abort.signal);
		const next = run(honest, { maxMs: 30_000 });
		await expect.poll(() => posted.mock.calls.length).toBeGreaterThan(0);
		abort.abort();
		await expect(long).rejects.toMatchObject({ problem: { code: "CANCELLED" } });
		expect(await next).toMatchObject({ output: '"xx"' });
	});

	test("does not run where there is no worker", async () => {
		const none = {
			text: () => Promise.resolve(text),
			spawn: () => {
				throw new Error("no workers here");
			},
		};
		const call = new SandboxHost(none).methods()["sandbox.run"];
		const script = { script: honest, input: 0, now: "", maxSteps: 0, maxMs: 0, maxMb: 0 };
		await expect(call(script, { signal: never, blobs: [] })).rejects.toMatchObject({
			problem: { code: "SANDBOX_ERROR", key: "tools.code.none" },
		});
	});
});

describe("the maximum of memory", () => {
	const header = [0, 97, 115, 109, 1, 0, 0, 0];
	const module = (memory: number[]) => Uint8Array.from([...header, 5, memory.length, ...memory]);

	test("is written into the module, and nothing else is changed", async () => {
		const limited = limitMemory(module([1, 0, 200, 1]), 64);
		expect([...limited]).toEqual([...header, 5, 6, 1, 1, 200, 1, 128, 8]);
		await expect(WebAssembly.compile(limited)).resolves.toBeDefined();
	});

	test("is not below what the module needs to start", () => {
		expect([...limitMemory(module([1, 0, 200, 1]), 1)].slice(10)).toEqual([1, 1, 200, 1, 200, 1]);
	});

	test("is refused for a module that is made in another way", () => {
		expect(() => limitMemory(module([1, 1, 1, 9]), 64)).toThrow();
		expect(() => limitMemory(Uint8Array.from(header), 64)).toThrow();
	});
});
