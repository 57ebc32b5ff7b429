export const dist: string;
export function buildPlayground(outdir?: string): Promise<string>;
