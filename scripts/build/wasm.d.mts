export const root: string;
export function hasGo(): boolean;
export function buildWasm(pkg: string, out: string): string;
export function compress(bytes: Uint8Array): Buffer;
export interface BuiltCore {
	gz: Buffer;
	wasmExec: string;
}
export function core(): BuiltCore;
export function installedWasmExec(): string;
export function writeRelease(core: BuiltCore): void;
