// The panel's controller, put together for the app.

import { ObsidianApp } from "./app/obsidian";
import { nextFrame } from "./frame";
import { PanelController } from "./panel/controller.svelte";
import type { Core } from "./panel/core";
import type EmbeddedAgentPlugin from "./plugin";

/** Makes the controller of a plugin's panel, which asks the core that `core` gives. */
export function makeController(agent: EmbeddedAgentPlugin, core: () => Promise<Core>): PanelController {
	return new PanelController(core, new ObsidianApp(agent), nextFrame);
}
