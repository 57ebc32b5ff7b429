export const NOTICE: string;
export const RULE: string;
export function listed(text: string): string[];
export function headComment(): string;
