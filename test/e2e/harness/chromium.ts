import { chromium, type Browser } from "playwright-core";
import { chromium as installed, quiet } from "../../../scripts/chromium.mjs";

// Each test starts the core anew: to compile it twice, the second time well, takes longer than all that a
// test lets it do.
const once = "--js-flags=--liftoff-only";

/** Starts a headless browser with an empty profile; `args` are added to its command line. */
export function launchChromium(args: string[] = []): Promise<Browser> {
	const executablePath = installed();
	if (!executablePath)
		throw new Error("No Chromium, Chrome or Edge was found. Install one, or set CHROMIUM to its path.");
	return chromium.launch({ executablePath, headless: true, args: [...quiet, once, ...args] });
}
