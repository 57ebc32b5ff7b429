import { getContext, setContext } from "svelte";
import type { Session } from "./session.svelte";

const key = Symbol("panel");

/** Hands the session to every component below. */
export function providePanel(session: Session): void {
	setContext(key, session);
}

/** The session of the panel that a component is in. */
export function usePanel(): Session {
	return getContext<Session>(key);
}

const runKey = Symbol("run");

/** Tells the components below which run (or conversation) their calls belong to. */
export function provideRun(run: () => string): void {
	setContext(runKey, run);
}

/** The run that a call belongs to; "" outside of a run. */
export function useRun(): () => string {
	return getContext<(() => string) | undefined>(runKey) ?? (() => "");
}
