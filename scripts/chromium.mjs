// Prints where an installed Chromium, Chrome or Edge is; fails where there is
// none. CHROMIUM names one.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const names = [
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
];

/** The browser's path, or undefined. */
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
