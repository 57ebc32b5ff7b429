export const root: string;
export function toolchain(): string;
export function goEnv(options?: { wasm?: boolean }): NodeJS.ProcessEnv;
export function hasGo(): boolean;
