import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { external, target, virtualModules } from "../../scripts/build/bundle.mjs";
import { repository } from "../../test/e2e/harness";

/** Builds host-plugin.ts as a plugin into a folder. */
export async function buildHostPlugin(folder: string): Promise<void> {
	await build({
		absWorkingDir: repository,
		entryPoints: ["bridge/test/host-plugin.ts"],
		outfile: join(folder, "main.js"),
		bundle: true,
		format: "cjs",
		target,
		external,
		plugins: [virtualModules({ wasmExec: "" })],
		logLevel: "error",
	});
	writeFileSync(join(folder, "manifest.json"), readFileSync(join(repository, "manifest.json")));
	writeFileSync(join(folder, "styles.css"), "");
}
