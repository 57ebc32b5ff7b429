import type { Plugin } from "vitest/config";

export function svelte(): Plugin;
