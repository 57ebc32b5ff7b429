// When the panel is brought up to date.

import type { Schedule } from "./panel/controller.svelte";

/** The longest time, in milliseconds, that an event waits for a frame. */
const longest = 250;

/**
 * With the next animation frame; in a window that draws no frames (hidden, or
 * in the background) after a quarter of a second, so that the status bar and
 * notices still follow.
 */
export const nextFrame: Schedule = (flush) => {
	const forget = () => {
		window.cancelAnimationFrame(frame);
		window.clearTimeout(timer);
	};
	const now = () => {
		forget();
		flush();
	};
	const frame = window.requestAnimationFrame(now);
	const timer = window.setTimeout(now, longest);
	return forget;
};
