import type { CallView } from "../protocol";
import { agentTool } from "./planedit";

/** The names of the pins in an agent step's result; none where it was shortened or is another tool's. */
export function pinNames(call: CallView): string[] {
	if (call.tool !== agentTool) return [];
	try {
		const result = JSON.parse(call.result) as { pins?: Record<string, unknown> } | null;
		return Object.keys(result?.pins ?? {});
	} catch {
		return [];
	}
}
