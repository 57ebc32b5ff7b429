// Builds the plugin: main.js. `--dev` does not minify and keeps a source map;
// `--release` also writes the release copy of the core.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleMain, finish, MAX_BYTES } from "./scripts/build/bundle.mjs";
import { writeRelease } from "./scripts/build/release-copy.mjs";
import { core, root } from "./scripts/build/wasm.mjs";

const dev = process.argv.includes("--dev");
const built = await core({ quick: dev });
const bundle = await bundleMain(built.wasmExec, { packed: built.packed, minify: !dev, sourcemap: dev });
const main = finish(bundle, dev ? { max: Infinity } : {});
writeFileSync(join(root, "main.js"), main);
if (process.argv.includes("--release")) writeRelease(built);
console.log(`main.js: ${main.length} of ${MAX_BYTES} bytes (core ${built.packed.length} packed)`);
