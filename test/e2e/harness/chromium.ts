import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

const names = [
	"chromium",
	"chromium-browser",
	"google-chrome",
	"google-chrome-stable",
	"microsoft-edge",
	"msedge",
];
const fixed = [
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	"C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
	"C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** An installed Chromium, Chrome or Edge: `$CHROMIUM`, then the search path, then the usual places. */
export function findChromium(): string {
	const wanted = process.env["CHROMIUM"];
	if (wanted) return wanted;
	for (const directory of (process.env["PATH"] ?? "").split(delimiter))
		for (const name of names) if (existsSync(join(directory, name))) return join(directory, name);
	const found = fixed.find((path) => existsSync(path));
	if (found) return found;
	throw new Error("No Chromium, Chrome or Edge was found. Install one, or set CHROMIUM to its path.");
}

const quiet = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** Starts a headless browser with an empty profile; `args` are added to its command line. */
export function launchChromium(args: string[] = []): Promise<Browser> {
	return chromium.launch({ executablePath: findChromium(), headless: true, args: [...quiet, ...args] });
}
