export const quiet: string[];
export function chromium(): string | undefined;
