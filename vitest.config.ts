import { defineConfig } from "vitest/config";
import { svelte } from "./scripts/build/vitest-svelte.mjs";
import { installedWasmExec } from "./scripts/build/wasm.mjs";
import { wasmExecModule } from "./scripts/build/bundle.mjs";

export default defineConfig({
	plugins: [
		{
			name: "virtual-modules",
			resolveId: (id) => (id === "go:wasm-exec" || id === "bridge:worker" ? `\0${id}` : null),
			load(id) {
				if (id === "\0go:wasm-exec") return wasmExecModule(installedWasmExec());
				if (id === "\0bridge:worker") return "export default '';";
				return null;
			},
		},
	],
	test: {
		include: ["bridge/**/*.test.ts", "plugin/**/*.test.ts", "playground/**/*.test.ts", "scripts/**/*.test.ts"],
		exclude: ["**/node_modules/**", "test/e2e/**"],
		testTimeout: 20_000,
	},
});
