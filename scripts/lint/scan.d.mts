import type { ESLint } from "eslint";

export function isRead(path: string): boolean;
export function scope(): string[];
export function reviewer(): ESLint;
export function findings(results: ESLint.LintResult[]): string[];
