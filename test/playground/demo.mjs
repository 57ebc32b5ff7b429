/** Prepares a copy of a vault for the playground: the plugin inside, switched on, and set up for the demo model. */
import { cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** The options with which a plugin without any of its own starts, so that it works with no key and no network. */
export function demoSettings(modelUrl) {
	return { demoModelUrl: modelUrl };
}

/** What of a vault is not copied: history, the bin, and the state of other plugins. */
const left = [
	/(^|\/)\.git(\/|$)/,
	/(^|\/)\.trash(\/|$)/,
	/^\.obsidian\/plugins(\/|$)/,
	/^\.obsidian\/workspace[^/]*\.json$/,
];

/** Copies the notes of `from` into the empty folder `to`. Links to elsewhere are not followed. */
export async function copyVault(from, to) {
	await rm(to, { recursive: true, force: true });
	await mkdir(to, { recursive: true });
	await cp(from, to, {
		recursive: true,
		verbatimSymlinks: true,
		filter: (source) => {
			const inside = source.slice(from.length).replaceAll("\\", "/").replace(/^\//, "");
			return !left.some((pattern) => pattern.test(inside));
		},
	});
}

/**
 * Puts the plugin of `pluginDir` (main.js, manifest.json, styles.css) into the vault and switches on that plugin
 * alone. `data` becomes its data.json unless it has one. Returns its id.
 */
export async function installPlugin(vaultDir, pluginDir, data) {
	const main = join(pluginDir, "main.js");
	if (!existsSync(main))
		throw new Error(`${basename(main)} is missing in ${pluginDir}: build the plugin first (npm run build).`);
	const manifest = JSON.parse(await readFile(join(pluginDir, "manifest.json"), "utf8"));
	const target = join(vaultDir, ".obsidian", "plugins", manifest.id);
	await mkdir(target, { recursive: true });
	for (const name of ["main.js", "manifest.json", "styles.css"])
		if (existsSync(join(pluginDir, name))) await cp(join(pluginDir, name), join(target, name));
	await writeFile(join(vaultDir, ".obsidian", "community-plugins.json"), JSON.stringify([manifest.id]));
	const dataFile = join(target, "data.json");
	if (data && !existsSync(dataFile)) await writeFile(dataFile, JSON.stringify(data, null, 2));
	return manifest.id;
}

/** True for a folder. */
export async function isFolder(path) {
	return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
