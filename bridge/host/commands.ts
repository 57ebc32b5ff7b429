import type { App } from "obsidian";
import type { Host } from "../client";
import { fail } from "../problem";

/** The palette. It is not in the app's public interface, so its absence is no defect. */
interface Palette {
	commands: Record<string, { id: string; name: string }>;
	executeCommandById(id: string): boolean;
}

function palette(app: App): Palette {
	const found = (app as { commands?: Partial<Palette> }).commands;
	if (!found?.commands || typeof found.executeCommandById !== "function") {
		throw fail("PRECONDITION_FAILED", "error.commands.unavailable");
	}
	return found as Palette;
}

/** A command is over when no note has changed for so long after it, or after the longest time; ms. */
const QUIET = 300;
const LONGEST = 5000;

/** The app does not say when what a command set off is over: it is, once the vault is quiet. */
async function andQuiet(app: App, run: () => boolean): Promise<boolean> {
	let timer = 0;
	let over = () => {};
	const done = new Promise<void>((resolve) => (over = resolve));
	const again = () => {
		window.clearTimeout(timer);
		timer = window.setTimeout(over, QUIET);
	};
	const { vault } = app;
	const events = ["create", "modify", "delete", "rename"] as "create"[];
	const refs = events.map((event) => vault.on(event, again));
	const longest = window.setTimeout(over, LONGEST);
	try {
		if (!run()) return false;
		again();
		await done;
		return true;
	} finally {
		window.clearTimeout(timer);
		window.clearTimeout(longest);
		for (const ref of refs) vault.offref(ref);
	}
}

/** The app's commands. */
export function commandsHost(app: App): Pick<Host, "commands.list" | "commands.run"> {
	return {
		"commands.list": async () => {
			const all = Object.values(palette(app).commands).map(({ id, name }) => ({ id, name }));
			return { commands: all.sort((a, b) => (a.id < b.id ? -1 : 1)) };
		},
		"commands.run": async ({ id }) => {
			const all = palette(app);
			if (!Object.hasOwn(all.commands, id)) return { ok: false };
			return { ok: await andQuiet(app, () => all.executeCommandById(id)) };
		},
	};
}
