import type { App } from "obsidian";
import type { Host } from "../../bridge/client";
import { fail } from "../../bridge/problem";

/** Where the app keeps, on this device and for this vault alone, what is not part of the vault. */
const NAME = "embedded-agent-device-key";
const SIZE = 32;

/**
 * This device's own data. The key is not in the secret store: a header can name
 * every secret there, and this one must never leave.
 */
export function deviceHost(app: App): Pick<Host, "device.key"> {
	return {
		"device.key": async () => {
			const kept = read(app);
			if (kept) return { key: kept };
			const bytes = crypto.getRandomValues(new Uint8Array(SIZE));
			try {
				app.saveLocalStorage(NAME, Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join(""));
			} catch (error) {
				throw fail("INTERNAL_ERROR", "error.device.storage", undefined, error);
			}
			// As it was kept: another window may have been quicker, and a storage that keeps nothing does not fail.
			const key = read(app);
			if (!key) throw fail("INTERNAL_ERROR", "error.device.storage");
			return { key };
		},
	};
}

/** The key in hexadecimal, or nothing. What is there and is none is replaced. */
function read(app: App): string | undefined {
	const kept: unknown = app.loadLocalStorage(NAME);
	return typeof kept === "string" && kept.length === 2 * SIZE && /^[0-9a-f]+$/.test(kept) ? kept : undefined;
}
