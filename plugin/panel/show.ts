// The panel's components. They are evaluated when the first of them is shown, not
// when the app starts: nothing here is imported but by a dynamic import.
import { mount, unmount } from "svelte";
import Panel from "./Panel.svelte";
import ReviewTab from "./ReviewTab.svelte";
import type { PanelController } from "./controller.svelte";
import SettingsPart from "./SettingsPart.svelte";
import ToolSelector from "./saved/ToolSelector.svelte";
import Usage from "./history/Usage.svelte";

/** Draws the panel into an element; the result takes it out again. */
export function showPanel(target: HTMLElement, controller: PanelController): () => Promise<void> {
	const panel = mount(Panel, { target, props: { controller } });
	return () => unmount(panel);
}

/** Draws the open review into an element; onover is called when there is none any more. */
export function showReview(
	target: HTMLElement,
	controller: PanelController,
	onover: (seen: boolean) => void,
): () => Promise<void> {
	const review = mount(ReviewTab, { target, props: { controller, onover } });
	return () => unmount(review);
}

const parts = { tools: ToolSelector, usage: Usage };

/** A part of the panel that is a page of the settings. */
export type PartName = keyof typeof parts;

/** Draws a part of the panel into an element; the result takes it out again. */
export function showPart(
	target: HTMLElement,
	controller: PanelController,
	name: PartName,
): () => Promise<void> {
	const part = mount(SettingsPart, { target, props: { controller, content: parts[name] } });
	return () => unmount(part);
}
