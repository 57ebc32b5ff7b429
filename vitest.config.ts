import { defineConfig } from "vitest/config";
import { wasmExecModule } from "./scripts/build/bundle.mjs";
import { svelte } from "./scripts/build/vitest-svelte.mjs";
import { installedWasmExec } from "./scripts/build/wasm.mjs";
import { wordsModule } from "./scripts/build/words.mjs";

/** The modules of bridge/virtual.d.ts and i18n/virtual.d.ts. */
const virtual = {
	name: "virtual-modules",
	resolveId: (id: string) =>
		/^(go:wasm-exec|bridge:worker|words:all|core:packed|core:decoder)$/.test(id) ? `\0${id}` : null,
	load(id: string) {
		if (id === "\0go:wasm-exec") return wasmExecModule(installedWasmExec());
		if (id === "\0words:all") return wordsModule("i18n");
		if (/^\0(bridge:worker|core:(packed|decoder))$/.test(id)) return "export default '';";
		return null;
	},
};

/** What of a person's ways through the app is walked at every `make test`; the rest at `make test-all`. */
const everyTime = ["story", "recovery"].map((name) => `test/e2e/${name}.test.ts`);
/** Every state of the panel, in pictures and for axe, long lists, its larger forms, and the browser's stores: at `make test-all`. */
const everyState = [
	...["scenes", "saved/saved", "review/review", "history/recovery", "history/conflicts", "ui/long-list"].map(
		(name) => `plugin/panel/${name}`,
	),
	"bridge/test/browserstore",
].map((name) => `${name}.browser.test.ts`);

/** Tests that read the whole program, or start a linter: at `make check` and `make rest`. */
const wholeProgram = ["plugin/since", "scripts/lint/settled", "scripts/lint/scan"].map(
	(name) => `${name}.test.ts`,
);

const exclude = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
	plugins: [svelte(), virtual],
	test: {
		// A busy machine is slow: what never comes is told late, what comes is not missed.
		expect: { poll: { timeout: 30_000 } },
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["{bridge,i18n,plugin,scripts,bench,test/playground}/**/*.test.ts"],
					exclude: [...exclude, "**/*.browser.test.ts", ...wholeProgram],
					setupFiles: ["bridge/test/setup.ts"],
					testTimeout: 20_000,
				},
			},
			{ extends: true, test: { name: "unit-rest", include: wholeProgram, exclude, testTimeout: 60_000 } },
			{
				extends: true,
				test: {
					name: "browser",
					include: ["{bridge,plugin}/**/*.browser.test.ts"],
					exclude: [...exclude, ...everyState],
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
					globalSetup: "test/built-once.ts",
				},
			},
			{
				extends: true,
				test: {
					name: "e2e",
					include: everyTime,
					exclude,
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
					globalSetup: "test/built-once.ts",
				},
			},
			{
				extends: true,
				test: {
					name: "e2e-rest",
					include: ["test/e2e/**/*.test.ts", ...everyState],
					exclude: [...exclude, ...everyTime],
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
					globalSetup: "test/built-once.ts",
				},
			},
		],
	},
});
