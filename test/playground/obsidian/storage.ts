/** What the app keeps on this device and not in the vault. */
import { Events } from "./events";

/** Secrets by id; synchronous, on this device only, and without a way to delete, as in the app. */
export class SecretStorage extends Events {
	constructor(private readonly prefix: string) {
		super();
	}

	setSecret(id: string, secret: string): void {
		if (!/^[a-z0-9-]+$/.test(id)) throw new Error("Secret ID must be lowercase letters, digits and dashes.");
		localStorage.setItem(this.prefix + id, secret);
		this.trigger("change", id);
	}

	getSecret(id: string): string | null {
		return localStorage.getItem(this.prefix + id);
	}

	listSecrets(): string[] {
		return keysWith(this.prefix);
	}
}

/** `app.loadLocalStorage` and `app.saveLocalStorage`: JSON, apart for each vault. */
export class LocalStore {
	constructor(private readonly prefix: string) {}

	load(key: string): unknown {
		const text = localStorage.getItem(this.prefix + key);
		return text === null ? null : (JSON.parse(text) as unknown);
	}

	save(key: string, data: unknown): void {
		if (data === null || data === undefined) localStorage.removeItem(this.prefix + key);
		else localStorage.setItem(this.prefix + key, JSON.stringify(data));
	}
}

function keysWith(prefix: string): string[] {
	const keys: string[] = [];
	for (let at = 0; at < localStorage.length; at++) {
		const key = localStorage.key(at);
		if (key?.startsWith(prefix)) keys.push(key.slice(prefix.length));
	}
	return keys.sort();
}
