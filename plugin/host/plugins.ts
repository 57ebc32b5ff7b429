import type { App } from "obsidian";
import type { Host } from "../../bridge/client";

/** The app's own list of community plugins: an internal interface, so nothing of it is relied on. */
interface Manager {
	manifests?: Record<string, { id?: string }>;
	enabledPlugins?: Set<string>;
}

/** The community plugins that are in the vault. */
export function pluginsHost(app: App): Pick<Host, "plugins.installed"> {
	return {
		"plugins.installed": async () => {
			const { plugins } = app as App & { plugins?: Manager };
			const enabled = plugins?.enabledPlugins;
			return {
				plugins: Object.keys(plugins?.manifests ?? {}).map((id) => ({
					id,
					enabled: enabled instanceof Set && enabled.has(id),
				})),
			};
		},
	};
}
