import type { App } from "obsidian";

/** Where this device keeps what the browser has answered. */
const ANSWER = "embedded-agent-persisted";

let asking = false;

/**
 * Whether the browser has promised not to remove what is stored when it needs room. It is asked once on a device,
 * since some ask the person; nobody waits for that. Later it is only looked whether the promise still holds.
 */
export function keptHere(app: App): boolean {
	const known: unknown = app.loadLocalStorage(ANSWER);
	if (!asking) {
		asking = true;
		void ask(typeof known === "boolean").then((answer) => app.saveLocalStorage(ANSWER, answer));
	}
	return known === true;
}

async function ask(before: boolean): Promise<boolean> {
	try {
		return await (before ? navigator.storage.persisted() : navigator.storage.persist());
	} catch {
		return false; // no such storage, no promise
	}
}
