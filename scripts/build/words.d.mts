export function wordsModule(folder: string): string;
