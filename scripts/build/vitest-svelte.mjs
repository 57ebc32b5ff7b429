// Compiles Svelte components and rune modules for vitest.
import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { compile, compileModule, preprocess } from "svelte/compiler";
import { sveltePreprocess } from "svelte-preprocess";

/** The vite plugin. */
export function svelte() {
	return {
		name: "svelte",
		enforce: "pre",
		config: () => ({ resolve: { conditions: ["svelte", "browser"] } }),
		async load(id) {
			const [filename] = id.split("?");
			if (/\.svelte\.[jt]s$/.test(filename)) {
				const source = readFileSync(filename, "utf8");
				const { code } = await transform(source, { loader: "ts", target: "esnext" });
				return compileModule(code, { filename, generate: "client" }).js;
			}
			if (!filename.endsWith(".svelte")) return null;
			const source = await preprocess(readFileSync(filename, "utf8"), sveltePreprocess(), { filename });
			return compile(source.code, { filename, generate: "client", css: "injected" }).js;
		},
	};
}
