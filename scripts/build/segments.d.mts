export function mergeData(wasm: Uint8Array): Buffer<ArrayBuffer>;
