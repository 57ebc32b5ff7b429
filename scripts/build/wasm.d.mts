export const root: string;
export function hasGo(): boolean;
export const inlining: string[];
export function buildWasm(pkg: string, out: string): string;
export function compress(bytes: Uint8Array, options?: { quick?: boolean }): Promise<Buffer>;
export function decoderWasm(): Buffer;
export function packedDecoder(): Buffer;
export interface BuiltCore {
	packed: Buffer;
	wasmExec: string;
}
export function core(options?: { quick?: boolean }): Promise<BuiltCore>;
export function installedWasmExec(): string;
