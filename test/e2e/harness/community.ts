import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { repository } from "./playground";

/**
 * Puts the official list of plugins, as it once was, where the plugin keeps it, as if it had been fetched
 * just now: a line with its date, then the list. So nothing asks the network.
 */
export function keepPluginList(vaultDir: string): void {
	const list = gunzipSync(
		readFileSync(join(repository, "wasm/internal/community/testdata/community-plugins.json.gz")),
	);
	const date = Buffer.from(`${new Date().toISOString().replace(/\.\d+/, "")}\n`);
	const folder = join(vaultDir, ".obsidian/plugins/embedded-agent");
	writeFileSync(join(folder, "community-plugins.json"), Buffer.concat([date, list]));
}
