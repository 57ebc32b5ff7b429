// Bundles main.js: the plugin, the worker's code as text, and the core as a
// string in base64.
import { join } from "node:path";
import esbuild from "esbuild";
import esbuildSvelte from "esbuild-svelte";
import { sveltePreprocess } from "svelte-preprocess";
import { headComment } from "./notice.mjs";
import { packedDecoder, root } from "./wasm.mjs";
import { wordsModule } from "./words.mjs";

/** The oldest engines that the app runs on (docs/design/build.md). */
export const target = ["chrome132", "safari16.4"];

/** What the app itself gives: of CodeMirror, what it is built of, and nothing else. */
export const external = [
	"obsidian",
	"electron",
	...["autocomplete", "collab", "commands", "language", "lint", "search", "state", "view"].map((m) => `@codemirror/${m}`),
	...["common", "highlight", "lr"].map((m) => `@lezer/${m}`),
];

/** The largest main.js that is synced for everybody, with room below 5 MB. */
export const MAX_BYTES = 4_600_000;

/**
 * Makes "go:wasm-exec" of wasm_exec.js: the script evaluated with parameters in
 * place of the globals that it reads or sets.
 */
export function wasmExecModule(wasmExec) {
	return `export function load(globalThis, setTimeout, clearTimeout, console) {
	let fs;
	const { crypto, performance, TextEncoder, TextDecoder } = globalThis;
	${wasmExec}
	fs = globalThis.fs;
	return globalThis.Go;
}`;
}

/** The esbuild plugin that gives the modules of bridge/virtual.d.ts and i18n/virtual.d.ts. */
export function virtualModules({ wasmExec, workerSource, packed = new Uint8Array() }) {
	return {
		name: "virtual-modules",
		setup(build) {
			build.onResolve({ filter: /^core:(packed|decoder)$/ }, ({ path }) => ({ path, namespace: "core" }));
			build.onLoad({ filter: /./, namespace: "core" }, ({ path }) => ({
				contents: path === "core:packed" ? packed : packedDecoder(),
				loader: "base64",
			}));
			build.onResolve({ filter: /^(go:wasm-exec|bridge:worker|words:all|esm-env)$/ }, ({ path }) => ({ path, namespace: "virtual" }));
			const contents = {
				// As constants that the bundler folds: without them Svelte brings its checks for developers along.
				"esm-env": () => "export const DEV = false, BROWSER = true, NODE = false;",
				"go:wasm-exec": () => wasmExecModule(wasmExec),
				"words:all": () => wordsModule(join(root, "i18n")),
				"bridge:worker": () => `export default ${JSON.stringify(workerSource)};`,
			};
			build.onLoad({ filter: /./, namespace: "virtual" }, ({ path }) => ({ contents: contents[path]() }));
		},
	};
}

/** Bundles as told; adds the files that something of is in the bundle to `inside`, as paths from the root. */
async function bundle(options, inside) {
	const result = await esbuild.build({ ...options, absWorkingDir: root, bundle: true, write: false, metafile: true });
	for (const { inputs } of Object.values(result.metafile.outputs)) {
		for (const [path, { bytesInOutput }] of Object.entries(inputs)) if (bytesInOutput > 0) inside.add(path);
	}
	return result.outputFiles.find((file) => !file.path.endsWith(".map")).text;
}

/** Bundles bridge/worker.ts into a classic script. */
export async function bundleWorker(wasmExec, { minify = true, banner = "", inside = new Set() } = {}) {
	const options = {
		entryPoints: ["bridge/worker.ts"],
		format: "iife",
		target,
		minify,
		charset: "ascii",
		banner: { js: banner },
		plugins: [virtualModules({ wasmExec })],
	};
	return bundle(options, inside);
}

/** Bundles main.js into text, with the packed core where it is given; `inside` is told the files that are in it. */
export async function bundleMain(wasmExec, { packed, minify = true, sourcemap = false, inside = new Set() } = {}) {
	const workerSource = await bundleWorker(wasmExec, { minify, inside });
	const options = {
		entryPoints: ["main.ts"],
		outfile: join(root, "build", "main.js"),
		format: "cjs",
		target,
		external,
		minify,
		minifyWhitespace: true, // comments are not ASCII everywhere
		sourcemap: sourcemap ? "inline" : false,
		legalComments: "none",
		charset: "ascii",
		treeShaking: true,
		conditions: ["svelte", "browser"],
		mainFields: ["svelte", "browser", "module", "main"],
		define: { "process.env.NODE_ENV": '"production"', "import.meta.env": "undefined" },
		plugins: [
			virtualModules({ wasmExec, workerSource, packed }),
			esbuildSvelte({ preprocess: sveltePreprocess(), compilerOptions: { css: "injected" } }),
		],
	};
	return bundle(options, inside);
}

/** The text that bridge/module.ts reads. */
export function coreText(packed) {
	return `${packedDecoder().toString("base64")} ${Buffer.from(packed).toString("base64")}`;
}

/**
 * A bundle as it ships: with whose work is inside at its head, ASCII only, and no
 * larger than what is synced. A build that is not shipped may have another limit.
 */
export function finish(bundle, { max = MAX_BYTES } = {}) {
	const text = `${headComment()}\n${bundle}`;
	// eslint-disable-next-line no-control-regex -- exactly the question: anything but ASCII
	if (/[^\x00-\x7f]/.test(text)) throw new Error("main.js is not ASCII only: the engine would keep it at two bytes per character");
	if (text.length > max) {
		throw new Error(`main.js has ${text.length} bytes, more than ${max}: larger files are not synced for most people`);
	}
	return text;
}
