export function filter(module: Buffer<ArrayBuffer>): Buffer<ArrayBuffer>;
