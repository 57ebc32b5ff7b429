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
