import { getContext, setContext } from "svelte";
import type { PanelController } from "./controller.svelte";

const key = Symbol("panel");

/** Hands the controller to every component below. */
export function providePanel(controller: PanelController): void {
	setContext(key, controller);
}

/** The controller of the panel that a component is in. */
export function usePanel(): PanelController {
	return getContext<PanelController>(key);
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
