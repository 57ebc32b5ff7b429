// The host in Obsidian: the notes, which the bridge knows, and what the core asks
// of this device beside them. The files of this folder are those ports.
import type { Plugin } from "obsidian";
import { Client, type Host } from "../../bridge/client";
import { notesHost } from "../../bridge/host";
import type { Source } from "../../bridge/launch";
import { embedded } from "../../bridge/source";
import type { Settings } from "../protocol";
import { deviceHost } from "./device";
import { HTTPHost } from "./http";
import { ownersHost } from "./owners";
import { platform } from "./platform";
import { pluginsHost } from "./plugins";
import { SandboxHost } from "./sandbox";
import { secretsHost } from "./secrets";
import { storeHost } from "./store";

/** The parts of the plugin that the connection needs. */
export interface ConnectOptions {
	/** The person's settings, asked for at each start of the core. */
	settings: () => Settings;
	/** The view type of the plugin's panel. */
	panelType: string;
}

/** A host, and what ends all that a core had open at it. */
export interface Hosting {
	host: Host;
	ended: () => void;
}

/** Puts the host together. Scripts run in a sandbox made of the source. */
export function hosting(plugin: Plugin, panelType: string, source: Source): Hosting {
	const { app, manifest } = plugin;
	const http = new HTTPHost(app);
	const sandbox = new SandboxHost(source);
	return {
		host: {
			...notesHost(plugin, panelType),
			...storeHost(app, manifest.dir ?? `${app.vault.configDir}/plugins/${manifest.id}`),
			...http.methods(),
			...secretsHost(app),
			...deviceHost(app),
			...sandbox.methods(),
			...pluginsHost(app),
			...ownersHost(plugin),
		},
		ended: () => {
			http.closeAll();
			sandbox.close();
		},
	};
}

/**
 * Makes the connection to the core. Nothing is started, compiled or decoded
 * before the first request. Call it in onload, and `dispose` in onunload.
 */
export function connect(plugin: Plugin, { settings, panelType }: ConnectOptions): Client {
	return new Client({
		...hosting(plugin, panelType, embedded()),
		source: embedded(),
		hello: () => ({ platform: platform(plugin.app), settings: settings() }),
	});
}
