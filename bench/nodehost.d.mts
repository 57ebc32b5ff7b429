import type { Followed } from "./follow.mjs";

/** A vault on disk with the app's calls. */
export class FolderVault {
	constructor(folder: string);
}

/** What of the bridge the host is made with. */
export interface BridgeParts {
	fail: (...args: never[]) => Error;
	applyAll: (apply: unknown) => unknown;
}

/** The host's methods over a folder, by name. */
export function hostOf(vault: FolderVault, bridge: BridgeParts, followed: Followed): Record<string, unknown>;

/** Bundles what the benchmarks take of the bridge and of the app's host, and imports it. */
export function importClient(wasmExec: string): Promise<Record<string, unknown>>;
