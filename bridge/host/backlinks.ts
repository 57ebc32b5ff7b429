import { TFile, TFolder, type App, type Plugin } from "obsidian";
import type { Host } from "../client";
import { entryAt } from "./paths";

/**
 * Which notes may link to a path. The app's own index of links runs behind
 * right after a write, so notes that it has not seen again since they changed
 * are always among the answers: the core reads each to know.
 */
export function backlinksHost(plugin: Plugin): Pick<Host, "vault.backlinks"> {
	const { app } = plugin;
	const stale = new Set<string>();
	const touched = (file: unknown) => {
		if (file instanceof TFile && file.extension === "md") stale.add(file.path);
	};
	plugin.registerEvent(app.vault.on("modify", touched));
	plugin.registerEvent(app.vault.on("rename", touched));
	app.workspace.onLayoutReady(() => plugin.registerEvent(app.vault.on("create", touched)));
	plugin.registerEvent(app.vault.on("delete", (file) => stale.delete(file.path)));
	plugin.registerEvent(app.metadataCache.on("resolve", (file) => stale.delete(file.path)));

	return {
		"vault.backlinks": async ({ path }) => {
			const entry = entryAt(app.vault, path);
			const targets = entry instanceof TFolder ? `${path}/` : path;
			const hits = (dest: string) => (entry instanceof TFolder ? dest.startsWith(targets) : dest === targets);
			const found = new Set(stale);
			for (const [source, links] of Object.entries(app.metadataCache.resolvedLinks)) {
				if (Object.keys(links).some(hits)) found.add(source);
			}
			for (const source of unresolved(app, entry instanceof TFile ? entry.basename : undefined))
				found.add(source);
			return { paths: [...found].filter((source) => app.vault.getFileByPath(source)).sort() };
		},
	};
}

/** Notes with a link that did not resolve when it was last looked at, and would by this name now. */
function unresolved(app: App, name: string | undefined): string[] {
	if (name === undefined) return [];
	const wanted = name.toLowerCase();
	const named = (link: string) => {
		const last = link.slice(link.lastIndexOf("/") + 1).toLowerCase();
		return last === wanted || last.startsWith(`${wanted}.`);
	};
	return Object.entries(app.metadataCache.unresolvedLinks)
		.filter(([, links]) => Object.keys(links).some(named))
		.map(([source]) => source);
}
