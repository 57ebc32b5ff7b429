// Builds the plugin: main.js. `--dev` does not minify and keeps a source map;
// `--release` also writes the release copy of the core.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleMain, embed, MAX_BYTES } from "./scripts/build/bundle.mjs";
import { core, root, writeRelease } from "./scripts/build/wasm.mjs";

const dev = process.argv.includes("--dev");
const built = await core({ quick: dev });
const bundle = await bundleMain(built.wasmExec, { minify: !dev, sourcemap: dev });
const main = embed(bundle, built.packed, dev ? { max: Infinity } : {});
writeFileSync(join(root, "main.js"), main);
if (process.argv.includes("--release")) writeRelease(built);
console.log(
	`main.js: ${main.length} of ${MAX_BYTES} bytes (code ${bundle.length}, core ${built.packed.length} packed)`,
);
