/**
 * Serves the playground with a copy of a vault. Environment: `PORT` (default: a free one), `VAULT` (a folder, which
 * is copied and never touched; default: the sample notes), `DELAY` (ms between the pieces of the demo model's
 * answers), `BROWSER=none` (opens no browser).
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPlayground, dist } from "./build.mjs";
import { copyVault, demoSettings, installPlugin, isFolder } from "./demo.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
/** The note that the sample vault opens with. */
const welcome = "Start here.md";

async function main() {
	const source = resolve(process.env.VAULT || join(here, "vault"));
	if (!(await isFolder(source))) fail(`There is no folder ${source}. Set VAULT to a folder with notes.`);
	const port = process.env.PORT ? Number(process.env.PORT) : await freePort();
	if (!Number.isInteger(port) || port < 0 || port > 65535)
		fail(`PORT is "${process.env.PORT}", which is not a port number.`);

	await buildPlayground();
	const vaultDir = join(root, ".playground", String(port), basename(source));
	await copyVault(source, vaultDir);
	const model = await startModel();
	await installPlugin(vaultDir, root, model ? demoSettings(model.url) : undefined);

	const { startServer } = await import(pathToFileURL(join(dist, "server.mjs")).href);
	const server = await startServer({ vaultDir, dist, port, vaultName: basename(source) });
	const first = existsSync(join(vaultDir, welcome)) ? `?open=${encodeURIComponent(welcome)}` : "";
	console.log(`Playground: ${server.url}${first}`);
	console.log(`  notes:  ${vaultDir} (a copy of ${source})`);
	console.log(
		model
			? `  model:  ${model.url} (a scripted demo model)`
			: "  model:  none; set one up in the plugin's settings",
	);
	console.log(`  as a phone: ${server.url}?profile=android   Press Ctrl-C to end.`);
	openBrowser(server.url + first);

	const end = async () => {
		await server.close();
		await model?.close();
		process.exit(0);
	};
	process.once("SIGINT", end);
	process.once("SIGTERM", end);
}

function fail(message) {
	console.error(message);
	process.exit(1);
}

async function startModel() {
	const script = join(here, "model", "server.mjs");
	if (!existsSync(script)) return undefined;
	const { startModelServer } = await import(pathToFileURL(script).href);
	return startModelServer({ port: 0, delayMs: Number(process.env.DELAY || 15) });
}

function freePort() {
	return new Promise((resolvePort, reject) => {
		const probe = createServer();
		probe.once("error", reject);
		probe.listen(0, "127.0.0.1", () => {
			const { port } = probe.address();
			probe.close(() => resolvePort(port));
		});
	});
}

function openBrowser(url) {
	if (process.env.BROWSER === "none") return;
	const commands = { darwin: ["open", url], win32: ["cmd", "/c", "start", "", url] };
	const hasDisplay = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
	const command = commands[process.platform] ?? (hasDisplay ? ["xdg-open", url] : undefined);
	if (!command) return;
	// No browser is not a failure: the address is on the screen.
	spawn(command[0], command.slice(1), { stdio: "ignore", detached: true })
		.on("error", () => undefined)
		.unref();
}

main().catch((error) => fail(error instanceof Error ? error.message : String(error)));
