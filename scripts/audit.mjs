// Asks npm which of the packages inside main.js have known weaknesses. Every
// package here is a dependency for development, and what ships is what the
// bundler takes of them: `npm audit --omit=dev` would look at nothing.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { root } from "./build/go.mjs";
import { npmPackages } from "./notice.mjs";

/**
 * What an answer of `npm audit --json` says about packages with these names, one
 * line each. An answer that is none is an error: nothing was checked.
 */
export function weaknesses(answer, names) {
	if (answer.vulnerabilities === undefined)
		throw new Error(`npm could not check: ${answer.message ?? answer.error?.summary ?? "no answer"}`);
	return Object.values(answer.vulnerabilities)
		.filter(({ name }) => names.includes(name))
		.map(({ name, severity, range, via }) => {
			const titles = via.map((cause) => (typeof cause === "string" ? cause : cause.title));
			return `${name} ${range}: ${severity}: ${titles.join("; ")}`;
		});
}

async function main() {
	const names = (await npmPackages()).map(({ name }) => name.slice(0, name.lastIndexOf(" ")));
	const said = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8" });
	const found = weaknesses(JSON.parse(said.stdout || "{}"), names);
	console.log(`looked at ${names.join(", ")}: ${found.length} known weaknesses`);
	for (const line of found) console.error(line);
	if (found.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
