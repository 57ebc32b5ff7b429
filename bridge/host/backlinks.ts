import { TFile, TFolder, type App, type Plugin } from "obsidian";
import type { Host } from "../client";
import { find, type Hears } from "./paths";

/**
 * Which notes may link to a path. The app's own index of links runs behind
 * right after a write, so notes that it has not seen again since they changed
 * are always among the answers: the core reads each to know.
 */
export function backlinksHost(plugin: Plugin, hear: Hears[]): Pick<Host, "vault.backlinks"> {
	const { app } = plugin;
	const stale = new Set<string>();
	const touched = (file: unknown) => {
		if (file instanceof TFile && file.extension === "md") stale.add(file.path);
	};
	hear.push((path) => path.endsWith(".md") && stale.add(path));
	plugin.registerEvent(app.vault.on("modify", touched));
	plugin.registerEvent(app.vault.on("rename", touched));
	app.workspace.onLayoutReady(() => plugin.registerEvent(app.vault.on("create", touched)));
	plugin.registerEvent(app.vault.on("delete", (file) => stale.delete(file.path)));
	plugin.registerEvent(app.metadataCache.on("resolve", (file) => stale.delete(file.path)));

	return {
		"vault.backlinks": async ({ path }) => {
			const folder = find(app.vault, path) instanceof TFolder;
			const name = nameOf(path);
			// A plan may make a file of a name that another one has: a link to that one may lead to it then.
			const hits = (dest: string) => (folder ? dest.startsWith(`${path}/`) : nameOf(dest) === name);
			const found = new Set(stale);
			for (const [source, links] of Object.entries(app.metadataCache.resolvedLinks)) {
				if (Object.keys(links).some(hits)) found.add(source);
			}
			if (!folder) for (const source of unresolved(app, name.replace(/\.md$/, ""))) found.add(source);
			return { paths: [...found].filter((source) => app.vault.getFileByPath(source)).sort() };
		},
	};
}

/** The last part of a path or link, by which links find it. */
function nameOf(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

/** Notes with a link that did not resolve when it was last looked at, and would by this name. */
function unresolved(app: App, wanted: string): string[] {
	const named = (link: string) => nameOf(link) === wanted || nameOf(link).startsWith(`${wanted}.`);
	return Object.entries(app.metadataCache.unresolvedLinks)
		.filter(([, links]) => Object.keys(links).some(named))
		.map(([source]) => source);
}
