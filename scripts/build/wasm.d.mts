export const root: string;
export function hasGo(): boolean;
export function buildWasm(pkg: string, out: string): string;
export function compress(bytes: Uint8Array, level?: number): Promise<Buffer>;
export interface BuiltCore {
	packed: Buffer;
	wasmExec: string;
}
export function core(): Promise<BuiltCore>;
export function installedWasmExec(): string;
export function writeRelease(core: BuiltCore): void;
