export function dropLines(module: Buffer<ArrayBuffer>): Buffer<ArrayBuffer>;
