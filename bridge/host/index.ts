// The host in Obsidian. The files of this folder are the only ones of the
// bridge that touch the app.
import type { Plugin } from "obsidian";
import { Client, type Host } from "../client";
import type { Settings } from "../protocol.gen";
import { embedded } from "../source";
import { backlinksHost } from "./backlinks";
import { changesHost } from "./changes";
import { commandsHost } from "./commands";
import { deviceHost } from "./device";
import { editorHost } from "./editor";
import { HTTPHost } from "./http";
import { metadataHost } from "./metadata";
import { ownersHost } from "./owners";
import { platform } from "./platform";
import { pluginsHost } from "./plugins";
import { SandboxHost } from "./sandbox";
import { secretsHost } from "./secrets";
import { storeHost } from "./store";
import { vaultHost } from "./vault";
import { workspaceHost } from "./workspace";

/** What the connection needs of the plugin. */
export interface ConnectOptions {
	/** The person's settings, asked for at each start of the core. */
	settings: () => Settings;
	/** The view type of the plugin's panel. */
	panelType: string;
}

/**
 * Makes the connection to the core. Nothing is started, compiled or decoded
 * before the first request. Call it in onload, and `dispose` in onunload.
 */
export function connect(plugin: Plugin, { settings, panelType }: ConnectOptions): Client {
	const { app, manifest } = plugin;
	const http = new HTTPHost(app);
	const sandbox = new SandboxHost(embedded());
	const host: Host = {
		...vaultHost(app),
		...backlinksHost(plugin),
		...editorHost(app),
		...workspaceHost(app, panelType),
		...commandsHost(app),
		...storeHost(app, manifest.dir ?? `${app.vault.configDir}/plugins/${manifest.id}`),
		...http.methods(),
		...secretsHost(app),
		...deviceHost(app),
		...sandbox.methods(),
		...pluginsHost(app),
		...changesHost(plugin),
		...metadataHost(plugin),
		...ownersHost(app),
	};
	return new Client({
		source: embedded(),
		host,
		hello: () => ({ platform: platform(app), settings: settings() }),
		ended: () => {
			http.closeAll();
			sandbox.close();
		},
	});
}
