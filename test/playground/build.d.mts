export const dist: string;
export function buildContractPlugin(outdir: string): Promise<string>;
export function buildPlayground(outdir?: string): Promise<string>;
