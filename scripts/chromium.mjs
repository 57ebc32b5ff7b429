// Prints where an installed Chromium, Chrome or Edge is; fails where there is
// none. CHROMIUM names one.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const names = [
	"chromium-headless-shell", // the same engine with no window to draw: a fifth less of the processor for the tests
	"chromium",
	"chromium-browser",
	"google-chrome",
	"google-chrome-stable",
	"microsoft-edge",
	"microsoft-edge-stable",
	"msedge",
];
const places = [
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	"C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
	"C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** What it is started with: nothing that asks the network by itself. */
export const quiet = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** The browser's path, or undefined: `$CHROMIUM`, then the search path, then the usual places. */
export function chromium() {
	const onPath = (process.env.PATH ?? "")
		.split(delimiter)
		.flatMap((dir) => names.map((name) => join(dir, name)));
	return [process.env.CHROMIUM, ...onPath, ...places].find((path) => path && existsSync(path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const path = chromium();
	if (path) console.log(path);
	else process.exitCode = 1;
}
