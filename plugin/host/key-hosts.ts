import type { App } from "obsidian";
import type { SecretHas } from "../../bridge/protocol.gen";

/** Where this device keeps which key may go where: beside the app, not in the vault, so that nothing synced reaches it. */
const place = "embedded-agent-key-hosts";

/**
 * Where a key may go from this device: the origins (scheme, host and port) that a person let it go to, and those of them
 * where the app's own client, which follows redirects, may send it. What is kept and cannot be read allows nothing.
 */
export function allowedHosts(app: App, name: string): Pick<SecretHas, "hosts" | "redirects"> {
	const origins = [...keptOf(app, name)];
	const redirects = origins.filter(([, allowed]) => allowed === true);
	return { hosts: origins.map(([origin]) => origin), redirects: redirects.map(([origin]) => origin) };
}

/** Keeps a person's yes to sending a key to an origin. */
export function allowHost(app: App, name: string, origin: string, redirects = false): void {
	if (name === "" || originOf(origin) !== origin) return;
	const origins = keptOf(app, name);
	origins.set(origin, redirects || origins.get(origin) === true);
	app.saveLocalStorage(place, { ...kept(app), [name]: Object.fromEntries(origins) });
}

/** The origin of an address; "" where there is none that a key could go to. */
export function originOf(address: string): string {
	try {
		const { origin, protocol, username, password } = new URL(address);
		return /^https?:$/.test(protocol) && username === "" && password === "" ? origin : "";
	} catch {
		return "";
	}
}

/** The record: by a key's name, its origins, each with whether also by the app's own client. */
function kept(app: App): Record<string, unknown> {
	const saved: unknown = app.loadLocalStorage(place);
	return typeof saved === "object" ? { ...saved } : {};
}

function keptOf(app: App, name: string): Map<string, unknown> {
	const entry = new Map(Object.entries(kept(app))).get(name);
	return new Map(typeof entry === "object" && entry !== null ? Object.entries(entry) : []);
}
