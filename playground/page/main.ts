/** Starts the app in the order of the real one: plugins, then the vault, then the layout. */
import { installDom } from "../obsidian/dom";
import { installDomEvents } from "../obsidian/dom_events";
import { setPlatform } from "../obsidian/platform";
import { profileNamed } from "../shared/profiles";
import { boot } from "./boot";
import { Connection } from "./connection";

async function main(): Promise<void> {
	installDom();
	installDomEvents();
	const query = new URLSearchParams(location.search);
	const profile = profileNamed(query.get("profile"));
	setPlatform(profile);
	const token = document.querySelector('meta[name="playground-token"]')?.getAttribute("content") ?? "";
	const connection = await Connection.open(token, profile.name);
	await boot({ connection, profile, theme: query.get("theme"), test: query.has("test") });
}

main().catch((error: unknown) => {
	console.error(error);
	const text = error instanceof Error ? error.message : String(error);
	document.body.textContent = `The playground could not start: ${text}`;
});
