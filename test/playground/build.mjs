/** Bundles the playground into `test/playground/dist`: the page, its worker and styles, and the server. */
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Where the bundle goes unless told otherwise. */
export const dist = join(here, "dist");

/**
 * Every package uses the same copy of these, whatever its own dependencies say: CodeMirror compares classes by
 * identity, and these are the versions that Obsidian's typings name.
 */
const oneCodeMirror = Object.fromEntries(
	["@codemirror/state", "@codemirror/view", "@lezer/common"].map((name) => [
		name,
		join(here, "../../node_modules", name),
	]),
);

/** JSON as text that is parsed at start: much faster to load than the same as an object literal. */
const parsedJson = {
	name: "parsed-json",
	setup({ onLoad }) {
		onLoad({ filter: /icon-nodes\.json$/ }, async ({ path }) => {
			const compact = JSON.stringify(JSON.parse(await readFile(path, "utf8")));
			return { contents: `export default JSON.parse(${JSON.stringify(compact)});`, loader: "js" };
		});
	},
};

/** What the bundles for the browser have in common. */
const page = {
	bundle: true,
	format: "iife",
	target: ["chrome132"],
	charset: "utf8",
	sourcemap: "linked",
	legalComments: "none",
	logLevel: "warning",
	minifyWhitespace: true,
	minifySyntax: true,
	plugins: [parsedJson],
	alias: oneCodeMirror,
};

/** Builds into a new folder first and moves file by file, so that whoever reads meanwhile sees whole files. */
export async function buildPlayground(outdir = dist) {
	const fresh = join(outdir, `.new-${process.pid}-${Date.now()}`);
	await mkdir(fresh, { recursive: true });
	try {
		await bundleInto(fresh);
		await moveAll(fresh, outdir);
	} finally {
		await rm(fresh, { recursive: true, force: true });
	}
	return outdir;
}

async function bundleInto(fresh) {
	await Promise.all([
		build({ ...page, entryPoints: [join(here, "page/main.ts")], outfile: join(fresh, "page.js") }),
		build({
			...page,
			entryPoints: [join(here, "obsidian/metadata/index-worker.ts")],
			outfile: join(fresh, "index-worker.js"),
		}),
		build({
			bundle: true,
			entryPoints: [join(here, "styles/playground.css")],
			outfile: join(fresh, "playground.css"),
			logLevel: "warning",
		}),
		build({
			bundle: true,
			platform: "node",
			format: "esm",
			target: ["node20"],
			packages: "external",
			entryPoints: [join(here, "server/server.ts")],
			outfile: join(fresh, "server.mjs"),
			logLevel: "warning",
		}),
		build({ ...page, entryPoints: [join(here, "contract/browser.ts")], outfile: join(fresh, "contract.js") }),
		copyFile(join(here, "page/index.html"), join(fresh, "index.html")),
	]);
}

async function moveAll(from, to) {
	for (const name of await readdir(from)) await rename(join(from, name), join(to, name));
}

/** Builds the contract as a plugin, for a real Obsidian, into a folder; gives the folder. */
export async function buildContractPlugin(outdir) {
	await build({
		bundle: true,
		format: "cjs",
		target: page.target,
		external: ["obsidian"],
		entryPoints: [join(here, "contract/plugin.ts")],
		outfile: join(outdir, "main.js"),
		logLevel: "warning",
	});
	const manifest = {
		id: "host-contract",
		name: "Host contract",
		version: "1.0.0",
		minAppVersion: "1.13.0",
		description: "Checks what Embedded Agent relies on.",
		author: "The Embedded Agent authors",
		isDesktopOnly: false,
	};
	await writeFile(join(outdir, "manifest.json"), JSON.stringify(manifest, null, 2));
	return outdir;
}

/** Puts the contract's plugin into a vault, and says what to do with it. */
async function putContract(vault = "") {
	if (!existsSync(join(vault, ".obsidian"))) {
		console.error(
			`"${vault}" is no vault that Obsidian has opened: give one with VAULT=path, best an empty one.`,
		);
		process.exitCode = 1;
		return;
	}
	const folder = await buildContractPlugin(join(vault, ".obsidian", "plugins", "host-contract"));
	console.log(`Written: ${folder}
Open the vault in Obsidian, switch on "Host contract" under Community plugins, and run
the command "Host contract: Run". It takes about a minute and saves "Contract outcome.json"
in the vault. Please send that file, with what the device is.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	await (process.argv[2] === "contract" ? putContract(process.argv[3]) : buildPlayground());
