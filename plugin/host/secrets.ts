import type { App } from "obsidian";
import type { Host } from "../../bridge/client";
import { fail } from "../../bridge/problem";
import type { HTTPRequest, SecretPrint } from "../../bridge/protocol.gen";
import { allowedHosts, allowHost, originOf } from "./key-hosts";
import { worthHiding } from "./redact";

type SecretMethods = "secret.has" | "secret.allow" | "secret.print";

/** The app's secret store. Values leave it for header values alone, and never reach the core. */
export function secretsHost(app: App): Pick<Host, SecretMethods> {
	return {
		"secret.has": async ({ name }) => ({ has: secret(app, name) !== null, ...allowedHosts(app, name) }),
		"secret.allow": async ({ name, host, redirects }) => {
			allowHost(app, name, host, redirects);
			return {};
		},
		"secret.print": async ({ name }) => printOf(secret(app, name)),
	};
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

/**
 * Puts secrets in the place of {{secret:NAME}} in header values. Each goes only
 * where the person let this device send it, whatever the core, the settings or a
 * synced file say: the last look before the network.
 */
export function withSecrets(app: App, { url, headers, buffered }: HTTPRequest): Filled {
	const filled: Filled = { headers: {}, used: [] };
	const origin = originOf(url);
	for (const [header, value] of Object.entries(headers)) {
		filled.headers[header] = value.replace(/\{\{secret:([^{}]+)\}\}/g, (_, name: string) => {
			const found = secret(app, name);
			if (found === null) throw fail("AUTH_REQUIRED", "error.secret.missing", { name });
			const { hosts, redirects } = allowedHosts(app, name);
			const host = origin.replace(/^https:\/\//, "");
			if (!hosts.includes(origin)) throw fail("AUTH_REQUIRED", "error.secret.host", { name, host });
			// The app's own client follows redirects, and takes the headers along.
			if (buffered && !redirects.includes(origin))
				throw fail("AUTH_REQUIRED", "error.secret.redirects", { name, host });
			filled.used.push(found);
			return found;
		});
	}
	return filled;
}

/** The modulus of the hashes of a print. */
const prime = 2147483647n;

/** The print by which the core finds a secret without knowing it. */
function printOf(value: string | null): SecretPrint {
	if (value === null || !worthHiding(value)) return { length: 0, bases: [], hashes: [] };
	const bytes = new TextEncoder().encode(value);
	const bases = [...crypto.getRandomValues(new Uint32Array(2))].map((n) => 256 + (n % 2147483391));
	const hash = (base: bigint) => bytes.reduce((h, byte) => (h * base + BigInt(byte) + 1n) % prime, 0n);
	return { length: bytes.length, bases, hashes: bases.map((base) => Number(hash(BigInt(base)))) };
}
