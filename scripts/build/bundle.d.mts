import type { Plugin } from "esbuild";

export const target: string[];
export const external: string[];
export const MAX_BYTES: number;
export function wasmExecModule(wasmExec: string): string;
export function virtualModules(parts: { wasmExec: string; workerSource?: string; packed?: Uint8Array }): Plugin;
export function bundleWorker(wasmExec: string, options?: { minify?: boolean; banner?: string; inside?: Set<string> }): Promise<string>;
export function bundleMain(
	wasmExec: string,
	options?: { packed?: Uint8Array; minify?: boolean; sourcemap?: boolean; inside?: Set<string> },
): Promise<string>;
export function coreText(packed: Uint8Array): string;
export function finish(bundle: string, options?: { max?: number }): string;
