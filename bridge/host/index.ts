// The host's side of the notes. The files of this folder are the only ones of the
// bridge that touch the app; the host's other ports are in plugin/host.
import type { Plugin } from "obsidian";
import type { Host, HostMethod } from "../client";
import { backlinksHost } from "./backlinks";
import { changesHost } from "./changes";
import { commandsHost } from "./commands";
import { editorHost } from "./editor";
import { metadataHost } from "./metadata";
import type { Hears } from "./paths";
import { vaultHost } from "./vault";
import { workspaceHost } from "./workspace";

type NotesMethod = Extract<HostMethod, `${"vault" | "editor" | "workspace" | "commands"}.${string}`>;

/** The vault, the editor, the panes and the commands. `panelType` is the view type of the plugin's panel. */
export function notesHost(plugin: Plugin, panelType: string): Pick<Host, NotesMethod> {
	const { app } = plugin;
	const hear: Hears[] = [];
	return {
		...vaultHost(app, hear),
		...backlinksHost(plugin, hear),
		...changesHost(plugin, hear),
		...metadataHost(plugin),
		...editorHost(app),
		...workspaceHost(app, panelType),
		...commandsHost(app),
	};
}
