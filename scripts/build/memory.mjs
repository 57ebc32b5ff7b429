// A folder for temporary files that is kept in memory. Tests that kill programs
// write as those do, and wait for the disk at each flush; what a compiler writes
// beside them makes each such wait longer.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const SHARED = "/dev/shm"; // on Linux a file system in memory: shm_overview(7)
const ROOM = 8 << 30; // bytes; compiled test programs, profiles of browsers, large vaults

/**
 * The variable that names a folder in memory, which goes when this process ends;
 * nothing where there is too little room, or where TMPDIR says where to write.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ TMPDIR?: string }}
 */
export function folderInMemory(env = process.env) {
	if (env.TMPDIR || room(SHARED) < ROOM) return {};
	const folder = mkdtempSync(join(SHARED, "embedded-agent-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
	return { TMPDIR: folder };
}

/** Bytes that a folder has room for; none where it is not there. */
function room(folder) {
	try {
		const { bavail, bsize } = statfsSync(folder);
		return bavail * bsize;
	} catch {
		return 0;
	}
}
