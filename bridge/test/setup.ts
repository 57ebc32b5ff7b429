// Browsers and workers have `self`; Node does not.
(globalThis as { self?: unknown }).self ??= globalThis;
