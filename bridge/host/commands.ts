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

/** The app's commands. */
export function commandsHost(app: App): Pick<Host, "commands.list" | "commands.run"> {
	return {
		"commands.list": async () => {
			const all = Object.values(palette(app).commands).map(({ id, name }) => ({ id, name }));
			return { commands: all.sort((a, b) => (a.id < b.id ? -1 : 1)) };
		},
		"commands.run": async ({ id }) => {
			const all = palette(app);
			return { ok: Object.hasOwn(all.commands, id) && all.executeCommandById(id) };
		},
	};
}
