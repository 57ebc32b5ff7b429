// The host in the playground, in Chromium, and how a test calls it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlayground, type Playground } from "../../test/e2e/harness";
import { buildHostPlugin } from "./host-build";
import type { Outcome } from "./host-plugin";

/** A page with the host in it, over a vault of its own. */
export interface HostPage {
	playground: Playground;
	/** Asks the host; abort is after how many milliseconds the call is cancelled, 0 for never. */
	call(this: void, method: string, params: unknown, blobs?: number[][], abort?: number): Promise<Outcome>;
	/** The errors that the page told of, but for those of requests that are meant to fail. */
	errors(this: void): string[];
	close(this: void): Promise<void>;
}

/** How the app around the host behaves; a test file may set it before the page is opened. */
export const around: { otherwise?: string } = {};

/** Builds the host, and opens it over three notes: a.md, b.md and Sub/c.md. */
export async function openHost(): Promise<HostPage> {
	const folder = mkdtempSync(join(tmpdir(), "host-"));
	await buildHostPlugin(join(folder, "plugin"));
	mkdirSync(join(folder, "vault", "Sub"), { recursive: true });
	writeFileSync(join(folder, "vault", "a.md"), "# A\n\nSee [[b]] and [[nowhere]].\n");
	writeFileSync(join(folder, "vault", "b.md"), "B\n");
	writeFileSync(join(folder, "vault", "Sub", "c.md"), "link to [[Sub/c]] and [[b]]\n");
	const playground = await startPlayground({
		vault: join(folder, "vault"),
		plugin: join(folder, "plugin"),
		...around,
	});
	return {
		playground,
		call: (method, params, blobs = [], abort = 0) =>
			playground.page.evaluate(
				([m, p, b, a]) =>
					(window as unknown as { hostCall: (...args: unknown[]) => Promise<Outcome> }).hostCall(m, p, b, a),
				[method, params, blobs, abort] as const,
			),
		errors: () => playground.errors.filter((e) => !/Failed to load resource|ERR_|CORS/.test(e)),
		close: async () => {
			await playground.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
