/** Starts the app in the order of the real one: plugins, then the vault, then the layout. */
import { installDom } from "../obsidian/dom";
import { installDomEvents } from "../obsidian/dom-events";
import { behaveOtherwise } from "../obsidian/otherwise";
import { setPlatform } from "../obsidian/platform";
import { profileNamed } from "../shared/profiles";
import { boot } from "./boot";
import { Connection } from "./connection";
import { refuse } from "./refusals";

async function main(): Promise<void> {
	installDom();
	installDomEvents();
	const query = new URLSearchParams(location.search);
	refuse(query.get("refuse") ?? "");
	behaveOtherwise(query.get("otherwise") ?? "");
	const profile = profileNamed(query.get("profile"));
	setPlatform(profile);
	const connection = await Connection.open(meta("playground-token"), profile.name);
	const vaultName = meta("playground-vault");
	document.title = `${vaultName} - Playground`;
	await boot({
		connection,
		profile,
		vaultName,
		theme: query.get("theme"),
		open: query.get("open"),
		test: query.has("test"),
	});
}

function meta(name: string): string {
	return document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";
}

main().catch((error: unknown) => {
	console.error(error);
	const text = error instanceof Error ? error.message : String(error);
	document.body.textContent = `The playground could not start: ${text}`;
});
