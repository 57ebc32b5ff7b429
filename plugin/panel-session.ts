// The panel's session, put together for the app.

import { ObsidianDesk } from "./desk";
import { nextFrame } from "./frame";
import type { Core } from "./panel/core";
import { Session } from "./panel/session.svelte";
import type EmbeddedAgentPlugin from "./plugin";
import { ObsidianShell } from "./shell";

/** Makes the session of a plugin, which asks the core that `core` gives. */
export function openSession(agent: EmbeddedAgentPlugin, core: () => Promise<Core>): Session {
	return new Session(core, new ObsidianShell(agent), nextFrame, new ObsidianDesk(agent));
}
