import type { App } from "obsidian";
import type { Host } from "../client";
import { fail } from "../problem";

/** The app's secret store. Values leave it for header values alone, and never reach the core. */
export function secretsHost(app: App): Pick<Host, "secret.has"> {
	return { "secret.has": async ({ name }) => ({ has: secret(app, name) !== null }) };
}

function secret(app: App, name: string): string | null {
	const value = app.secretStorage.getSecret(name);
	return value === null || value.trim() === "" ? null : value.trim();
}

/** Header values with the secrets in place, and the secrets that were put in. */
export interface Filled {
	headers: Record<string, string>;
	used: string[];
}

/** Puts secrets in the place of {{secret:NAME}} in header values. */
export function withSecrets(app: App, headers: Record<string, string>): Filled {
	const filled: Filled = { headers: {}, used: [] };
	for (const [header, value] of Object.entries(headers)) {
		filled.headers[header] = value.replace(/\{\{secret:([^{}]+)\}\}/g, (_, name: string) => {
			const found = secret(app, name);
			if (found === null) throw fail("AUTH_REQUIRED", "error.secret.missing", { name });
			filled.used.push(found);
			return found;
		});
	}
	return filled;
}
