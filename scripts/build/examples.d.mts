/** Writes spaces over the examples of all pages in a folder, in place, where a module holds them. */
export function dropExamples(module: Buffer, folder: string): Buffer;
