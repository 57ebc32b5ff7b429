import { defineConfig } from "vitest/config";
import { wasmExecModule } from "./scripts/build/bundle.mjs";
import { svelte } from "./scripts/build/vitest-svelte.mjs";
import { installedWasmExec } from "./scripts/build/wasm.mjs";
import { wordsModule } from "./scripts/build/words.mjs";

/** The modules of bridge/virtual.d.ts and plugin/i18n/virtual.d.ts. */
const virtual = {
	name: "virtual-modules",
	resolveId: (id: string) => (/^(go:wasm-exec|bridge:worker|words:all)$/.test(id) ? `\0${id}` : null),
	load(id: string) {
		if (id === "\0go:wasm-exec") return wasmExecModule(installedWasmExec());
		if (id === "\0words:all") return wordsModule("plugin/i18n");
		if (id === "\0bridge:worker") return "export default '';";
		return null;
	},
};

/** The playground's own tests: part of `make test-all`, apart from the smoke test. */
const playgroundTests = ["app", "contract", "faults", "host", "interface"].map(
	(name) => `test/e2e/${name}.test.ts`,
);

const exclude = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
	plugins: [svelte(), virtual],
	test: {
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["{bridge,plugin,playground,scripts,bench}/**/*.test.ts"],
					exclude: [...exclude, "**/*.browser.test.ts"],
					setupFiles: ["bridge/test/setup.ts"],
					testTimeout: 20_000,
				},
			},
			{
				extends: true,
				test: {
					name: "browser",
					include: ["{bridge,plugin,playground}/**/*.browser.test.ts"],
					exclude,
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
				},
			},
			{
				extends: true,
				test: {
					name: "e2e",
					include: ["test/e2e/**/*.test.ts"],
					exclude: [...exclude, ...playgroundTests],
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
				},
			},
			{
				extends: true,
				test: {
					name: "playground",
					include: playgroundTests,
					exclude,
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
				},
			},
		],
	},
});
