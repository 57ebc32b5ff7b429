export function folderInMemory(env?: Partial<NodeJS.ProcessEnv>): { TMPDIR?: string };
