// Runs named stages of the checks one after the other, all of them also when
// one fails, and ends with a line that counts: "N passed, N failed". With
// COUNTS=file the counts are added to the file; `sum` prints their sum.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { folderInMemory } from "./build/memory.mjs";
import { inlining, root } from "./build/wasm.mjs";

const goDirs = ["wasm", "i18n"];
const goPackages = goDirs.map((dir) => `./${dir}/...`); // never ./...: node_modules holds Go files
const wasm = { GOOS: "js", GOARCH: "wasm" };
// What only js/wasm compiles; the rest is read for style once, as the native build sees it.
const wasmPackages = ["./wasm", "./wasm/internal/jsbridge/...", "./wasm/internal/tool/builtin"];

const output = (command, args) => spawnSync(command, args, { cwd: root, encoding: "utf8" }).stdout.trim();
const goTool = (name) => output("go", ["tool", "-n", name]);
const files = (dir, pattern) =>
	existsSync(join(root, dir))
		? readdirSync(join(root, dir), { recursive: true })
				.filter((name) => pattern.test(name) && !name.includes("node_modules"))
				.map((name) => join(dir, name))
		: [];

/** The packages whose tests take longest: they begin first, or the last of them has one core for itself. */
const longest = ["server", "cli", "tool/builtin", "archtest"].map(
	(name) => `embedded-agent/wasm/internal/${name}`,
);
const place = ({ path }) => (longest.includes(path) ? longest.indexOf(path) : longest.length);

/** The Go packages that have tests in an environment, each with its folder, the longest first. */
function testedPackages(env = {}) {
	const list = spawnSync(
		"go",
		["list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}", ...goPackages],
		{ cwd: root, encoding: "utf8", env: { ...process.env, ...env } },
	);
	return list.stdout
		.split("\n")
		.filter(Boolean)
		.map((line) => {
			const [path, dir] = line.split(" ");
			return { path, dir };
		})
		.sort((a, b) => place(a) - place(b));
}

/** Whether a Go file of a package holds a pattern. */
const has = (dir, pattern, file) =>
	readdirSync(dir).some((name) => file.test(name) && pattern.test(readFileSync(join(dir, name), "utf8")));

/** Packages that start goroutines, in the program or in a test: there the race detector can find something. */
const concurrent = ({ dir }) => has(dir, /^\s*go (?:func|[\w.]+\()|\.Go\(func/m, /\.go$/);
/** Packages whose tests do more where they are not short; `make test` has run the others. */
const longer = ({ dir }) => has(dir, /testing\.Short\(\)|EXHAUSTIVE|rapid\.|llmtest\./, /_test\.go$/);
/** Packages with code that only js/wasm compiles. */
const ofWasm = ({ dir }) =>
	readdirSync(dir).some((name) => /_js(?:_wasm)?\.go$/.test(name)) ||
	has(dir, /^\/\/go:build (?:.*&& )?\(?js\b/m, /(?<!_test)\.go$/);

/** Compilers and tests may leave more garbage before they collect it: a fifth of their time goes into that. */
const spacious = { GOGC: process.env.GOGC ?? "400" };
/** A command that runs the tests of packages; nothing where there are none. */
const goTest = (flags, packages, more) =>
	packages.length === 0
		? []
		: [
				{
					run: [
						"go",
						"test",
						"-vet=off",
						"-timeout",
						"60m",
						"-json",
						...flags,
						...packages.map(({ path }) => path),
					],
					count: goCount,
					...more,
					env: { ...spacious, ...more?.env },
				},
			];
const inNode = (packages, flags = []) =>
	goTest(["-short", ...flags, "-exec", jsExec()], packages, { env: { ...wasm, GOGC: "" } }); // memory is the core's own there

const jsExec = () => join(output("go", ["env", "GOROOT"]), "lib", "wasm", "go_js_wasm_exec");

/**
 * Every stage: the commands it runs. `count` finds passed and failed tests in
 * the output; without it the stage counts as one.
 */
const stages = {
	gofumpt: () => [{ run: ["go", "tool", "gofumpt", "-l", ...goDirs], silent: true }],
	"go-vet": () => [{ run: ["go", "vet", ...goPackages] }],
	"go-vet-js": () => [{ run: ["go", "vet", ...goPackages], env: wasm }],
	staticcheck: () => {
		const tool = goTool("staticcheck");
		return [{ run: [tool, ...goPackages] }, { run: [tool, ...wasmPackages], env: wasm }];
	},
	generated: () => [{ run: ["node", "scripts/generate.mjs", "--check"] }],
	eslint: () => [{ run: ["npx", "eslint", ".", "--max-warnings", "0"] }],
	scan: () => [{ run: ["node", "scripts/lint/scan.mjs"] }],
	prettier: () => [{ run: ["npx", "prettier", "--check", "--log-level", "warn", "."] }],
	// It reads every file of tsconfig.json, plain TypeScript too.
	types: () => [{ run: ["npx", "svelte-check", "--fail-on-warnings", "--output", "human"] }],
	go: () => goTest(["-short"], testedPackages()),
	// The race detector compiles everything a second time, and makes a test several times as dear.
	"go-race": () => goTest(["-race", "-short"], testedPackages().filter(concurrent)),
	// Compiled as the core is: that is what ships, and most of it is compiled already.
	"go-js": () => inNode(testedPackages(wasm).filter(ofWasm), ["-trimpath", ...inlining]),
	"go-js-all": () => inNode(testedPackages(wasm)),
	vitest: () => [{ run: ["npx", "vitest", "run", "--project", "unit"], count: vitestCount }],
	"vitest-rest": () => [{ run: ["npx", "vitest", "run", "--project", "unit-rest"], count: vitestCount }],
	browser: () => [twoFiles("browser")],
	model: () => [
		{
			run: ["node", "--test", "--test-reporter=spec", ...files("test/playground/model", /\.test\.mjs$/)],
			count: nodeCount,
		},
	],
	build: () => [{ run: ["node", "esbuild.config.mjs"] }],
	e2e: () => [twoFiles("e2e")],
	"e2e-rest": () => [twoFiles("e2e-rest")],
	// The official clients against the proxy, a part of the peers: a package of its own, so that the plugin's stays small.
	clients: () => [
		{ run: ["npm", "ci", "--no-audit", "--no-fund", "--prefix", "test/peers/proxy"] },
		{
			run: ["go", "test", "-tags", "peers", "-run", "Official", "-json", "./wasm/internal/proxy"],
			count: goCount,
		},
	],
	// The rest of everything: exhaustive loops, real peers, long runs.
	"go-all": () => goTest([], testedPackages().filter(longer), { env: { EXHAUSTIVE: "1" } }),
	peers: () => peers(),
	// A release could be made, and is the same with and without Go.
	release: () => [{ run: ["node", "scripts/release.mjs", "--check"] }],
	fuzz: () => fuzz(),
	// Tests that pass by luck: everything many times, on a machine that has other work.
	"flaky-go": () => goTimes(20, testedPackages()).map(busily),
	"flaky-browser": () =>
		Array.from({ length: 5 }, () => ["browser", "e2e"])
			.flat()
			.map((project) => busily({ run: ["npx", "vitest", "run", "--project", project], count: vitestCount })),
	// A quarter of the Go packages, another one for each commit.
	"flaky-part": () => goTimes(3, quarter(testedPackages())).map(busily),
};

/** A vitest project, two files at a time: what needs a browser waits more than it works. */
const twoFiles = (project) => ({
	run: ["npx", "vitest", "run", "--project", project, "--fileParallelism", "--maxWorkers=2"],
	count: vitestCount,
});

/** All tests of packages, over and over. */
const goTimes = (times, packages) => goTest(["-short", "-timeout", "120m", `-count=${times}`], packages);

/** A command with two busy loops beside it. */
const busily = (command) => ({ ...command, run: ["node", "scripts/busy.mjs", "2", ...command.run] });

/** Every fourth of a list, from a place that the commit decides. */
function quarter(list) {
	const from = Number.parseInt(output("git", ["rev-parse", "HEAD"]).slice(0, 8) || "0", 16) % 4;
	return list.filter((_, i) => i % 4 === from);
}

/** Tests against other people's programs, each in a folder with a lock of its own. */
function peers() {
	const found = [];
	const folders = [
		"test/peers",
		"test/peers/proxy",
		"test/peers/mcp",
		"test/peers/mcp-tools",
		"test/codex",
		"test/engines",
	];
	for (const folder of folders) {
		if (!existsSync(join(root, folder, "package.json"))) continue;
		found.push({ run: ["npm", "ci", "--no-audit", "--no-fund", "--prefix", folder] });
	}
	found.push({ run: [join(root, "test/engines/node_modules/.bin/bun"), "bench/engine.mjs"] }); // a run under JavaScriptCore
	const tagged = ({ dir }) => has(dir, /^\/\/go:build .*\b(?:peers|codex|soak)\b/m, /_test\.go$/);
	const flags = ["-tags", "peers,codex,soak"];
	return [...found, ...goTest(flags, testedPackages({ GOFLAGS: "-tags=peers,codex,soak" }).filter(tagged))];
}

/** Each fuzz target for a short while. */
function fuzz() {
	const targets = [];
	for (const file of files("wasm", /_test\.go$/)) {
		const names = output("grep", ["-oE", "^func (Fuzz[A-Za-z0-9_]*)", file]).split("\n").filter(Boolean);
		const folder = "./" + file.slice(0, file.lastIndexOf("/"));
		for (const name of names.map((line) => line.slice("func ".length))) {
			targets.push({
				run: [
					"go",
					"test",
					folder,
					"-run",
					"^$",
					"-fuzz",
					`^${name}$`,
					"-fuzztime",
					process.env.FUZZTIME ?? "10s",
				],
			});
		}
	}
	return targets;
}

/** Reads `go test -json`: prints what fails and one line per package. */
function goCount(print) {
	const failedOutput = new Map();
	const totals = { passed: 0, failed: 0, skipped: 0 };
	/** A program that dies says so in the tests that never ended. */
	const unfinished = (name) => {
		for (const [key, output] of failedOutput) {
			if (!key.startsWith(`${name} `)) continue;
			const lines = output.trimEnd().split("\n");
			print([...lines.slice(0, 40), ...lines.slice(40).slice(-40)].join("\n"));
			failedOutput.delete(key);
		}
	};
	return {
		totals,
		line(text) {
			let event;
			try {
				event = JSON.parse(text);
			} catch {
				return print(text); // a build error is not JSON
			}
			const key = `${event.Package} ${event.Test ?? ""}`;
			if (event.Action === "output" || event.Action === "build-output") {
				failedOutput.set(key, (failedOutput.get(key) ?? "") + event.Output);
				if (event.Action === "build-output") print(event.Output.trimEnd());
				return;
			}
			if (!["pass", "fail", "skip"].includes(event.Action)) return;
			if (event.Action === "fail") {
				const said = (failedOutput.get(key) ?? "").trimEnd();
				print(said);
				failures.push(key.trimEnd(), ...reasons(said));
			}
			failedOutput.delete(key);
			if (event.Action === "fail" && !event.Test) unfinished(event.Package);
			if (event.Test) totals[{ pass: "passed", fail: "failed", skip: "skipped" }[event.Action]]++;
			else if (event.Action !== "skip")
				print(`${event.Action === "pass" ? "ok  " : "FAIL"} ${event.Package} ${event.Elapsed ?? 0}s`);
		},
	};
}

/** The lines of a failed Go test's output that say what was wrong. */
function reasons(output) {
	const lines = output.split("\n").filter((line) => /_test\.go:\d+: |^panic: |DATA RACE/.test(line));
	return lines.slice(0, 5).map((line) => `  ${line.trim().slice(0, 300)}`);
}

/** Reads vitest's summary. */
function vitestCount(print) {
	const totals = { passed: 0, failed: 0, skipped: 0 };
	let reason = 0; // lines of a reason that may still follow
	return {
		totals,
		line(text) {
			print(text);
			// eslint-disable-next-line no-control-regex -- colours
			const plain = text.replace(/\x1b\[[0-9;]*m/g, "").trimEnd();
			// Each failure's heading, then what went wrong: a browser's says what it waited for, and where.
			if (/^\s*FAIL\s/.test(plain)) failures.push(plain.trim());
			else if (/^\s*\w*Error: /.test(plain) && failures.length > 0) reason = 25;
			if (reason > 0 && plain !== "") failures.push(`  ${plain.trimStart().slice(0, 300)}`);
			// The place of the mistake ends it.
			reason = plain.trimStart().startsWith("❯") ? 0 : Math.max(0, reason - 1);
			if (!/^\s*Tests\s/.test(plain)) return;
			for (const kind of Object.keys(totals))
				totals[kind] += Number(new RegExp(`(\\d+) ${kind}`).exec(plain)?.[1] ?? 0);
		},
	};
}

/** Reads the summary of node --test. */
function nodeCount(print) {
	const totals = { passed: 0, failed: 0, skipped: 0 };
	return {
		totals,
		line(text) {
			if (!/^\s*(✔|▶)/.test(text)) print(text);
			if (/^\s*✖/.test(text)) failures.push(text.trim());
			const found = /^[#ℹ] (pass|fail|skipped) (\d+)/.exec(text);
			if (found) totals[{ pass: "passed", fail: "failed", skipped: "skipped" }[found[1]]] += Number(found[2]);
		},
	};
}

const memory = folderInMemory();

/** What failed, by name: said again at the end, where it is found without the rest. */
const failures = [];

function one(print) {
	return { totals: undefined, line: print };
}

/** Runs one command; gives its totals. */
function execute({ run, env, silent, count = one }) {
	return new Promise((resolve) => {
		const reader = count((text) => console.log(text));
		const child = spawn(run[0], run.slice(1), {
			cwd: root,
			env: { ...process.env, ...memory, npm_config_loglevel: "error", ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		const tail = [];
		const known = failures.length;
		let spoke = false; // standard output: a tool that is being fetched speaks on the other
		const read = (text) => {
			reader.line(text);
			tail.push(text);
			if (tail.length > 15) tail.shift();
		};
		const lines = (stream) => {
			let rest = "";
			stream.setEncoding("utf8");
			stream.on("data", (chunk) => {
				if (stream === child.stdout) spoke = true;
				const all = (rest + chunk).split("\n");
				rest = all.pop();
				all.forEach(read);
			});
			stream.on("end", () => rest && read(rest));
		};
		lines(child.stdout);
		lines(child.stderr);
		child.on("error", (error) => {
			console.log(error.message);
			resolve({ passed: 0, failed: 1, skipped: 0 });
		});
		child.on("close", (code) => {
			const failed = code !== 0 || (silent && spoke);
			const totals = reader.totals ?? { passed: failed ? 0 : 1, failed: 0, skipped: 0 };
			if (failed && totals.failed === 0) totals.failed = 1;
			// Whoever names no failure of its own: how its words ended.
			if (failed && failures.length === known) failures.push(...tail.map((text) => `  ${text}`));
			resolve(totals);
		});
	});
}

const sum = { passed: 0, failed: 0, skipped: 0 };
const names = process.argv.slice(2);
if (names[0] === "sum") {
	const all = readFileSync(process.env.COUNTS, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	for (const failure of all.flatMap((part) => part.failures)) console.log(failure);
	const total = (kind) => all.reduce((n, part) => n + part[kind], 0);
	console.log(`${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped`);
	process.exit(0);
}
const unknown = names.filter((name) => !(name in stages));
if (unknown.length > 0 || names.length === 0) {
	console.error(`Stages: ${Object.keys(stages).join(" ")}. Unknown: ${unknown.join(" ") || "none given"}`);
	process.exit(2);
}
/** Seconds of the processor that ended children have taken; on Linux, elsewhere 0. */
function processorTime() {
	if (process.platform !== "linux") return 0;
	const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
	return (Number(fields[13]) + Number(fields[14])) / 100; // cutime, cstime: proc(5), in hundredths
}

for (const name of names) {
	const began = Date.now();
	const worked = processorTime();
	const totals = { passed: 0, failed: 0, skipped: 0 };
	for (const command of stages[name]()) {
		const part = await execute(command);
		for (const kind of Object.keys(totals)) totals[kind] += part[kind];
	}
	for (const kind of Object.keys(sum)) sum[kind] += totals[kind];
	if (totals.failed > 0) failures.push(`in stage ${name}`);
	const seconds = ((Date.now() - began) / 1000).toFixed(1);
	const result = `${totals.failed > 0 ? "FAILED" : "ok"} (${totals.passed} passed, ${totals.failed} failed)`;
	console.log(`== ${name}: ${result} ${seconds}s, processor ${(processorTime() - worked).toFixed(1)}s`);
}
for (const failure of failures) console.log(failure);
const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : "";
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
if (process.env.COUNTS) appendFileSync(process.env.COUNTS, `${JSON.stringify({ ...sum, failures })}\n`);
if (sum.failed > 0) process.exitCode = 1;
