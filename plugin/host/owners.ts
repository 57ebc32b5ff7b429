import type { App, Plugin } from "obsidian";
import type { Host } from "../../bridge/client";
import { unsettled } from "../../bridge/outstanding";
import { keptHere } from "./persisted";
import { recordsLock } from "./records-lock";

type OwnerMethods = "owner.self" | "owner.gone" | "owner.quiet";

const DEVICE = "embedded-agent-device";
const LOCK = "embedded-agent/window/";

interface Place {
	window: string;
}

/**
 * This window. It stays the same while the plugin is switched off and on, and its
 * lock is held until the window is closed, which lets other windows know.
 */
function place(): Place {
	const key = Symbol.for("embedded-agent.window");
	const realm = window as unknown as Record<symbol, Place | undefined>;
	const known = realm[key];
	if (known) return known;
	const made: Place = { window: crypto.randomUUID() };
	realm[key] = made;
	// The lock is never given back; where there are none, the heartbeat alone tells.
	void navigator.locks
		?.request(LOCK + made.window, () => new Promise(() => undefined))
		.catch(() => undefined);
	return made;
}

/** The name of this device in this vault, made at its first use, and whether the app has kept it. */
function device(app: App): { device: string; kept: boolean } {
	const known: unknown = app.loadLocalStorage(DEVICE);
	if (typeof known === "string" && known !== "") return { device: known, kept: true };
	const made = crypto.randomUUID();
	app.saveLocalStorage(DEVICE, made);
	return { device: made, kept: app.loadLocalStorage(DEVICE) === made };
}

/** Which place this is, which windows are closed, and when nothing of a former core is under way. */
export function ownersHost(plugin: Plugin): Pick<Host, OwnerMethods> {
	const { app } = plugin;
	const owns = recordsLock(plugin);
	return {
		"owner.self": async () => {
			const self = device(app);
			return {
				...self,
				window: place().window,
				owns: await owns(self.device),
				persisted: keptHere(app),
			};
		},
		"owner.gone": async ({ window }) => {
			if (!navigator.locks) return { gone: false };
			const { held = [], pending = [] } = await navigator.locks.query();
			return { gone: ![...held, ...pending].some((lock) => lock.name === LOCK + window) };
		},
		"owner.quiet": async () => {
			await unsettled();
			return {};
		},
	};
}
