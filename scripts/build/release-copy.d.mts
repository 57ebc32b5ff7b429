import type { BuiltCore } from "./wasm.mjs";

export function sourcesHash(above?: string): string;
export function writeRelease(core: BuiltCore): void;
export function readRelease(): BuiltCore;
