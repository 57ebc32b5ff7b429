// Between what a control of the settings shows and what data.json holds.

import type { Data } from "../data";
import { presetOf, switchPreset } from "./presets";

/** The settings that have a control of their own. */
export type SettingKey =
	| Exclude<
			keyof Data,
			| "palette"
			| "demoModelUrl"
			| "demoUrl"
			| "keyName"
			| "keyNames"
			| "allowedRoots"
			| "provider"
			| "disabledTools"
			| "pinnedTools"
			| "prices"
			| "secrets"
			| "httpHosts"
			| "headers"
			| "efforts"
			| "windows"
	  >
	| "preset";

const megabyte = 1_000_000;

/** The text in the control: lists as lines, bytes as megabytes, the rest as it is. */
export function toControl(data: Data, key: SettingKey): unknown {
	switch (key) {
		case "denyPatterns":
		case "redactPatterns":
			return data[key].join("\n");
		case "preset":
			return presetOf(data);
		case "callsPerMinute":
			return Object.entries(data.callsPerMinute)
				.map(([tool, n]) => `${tool} = ${n}`)
				.join("\n");
		case "keepBytes":
			return data.keepBytes / megabyte;
		case "temperature":
			return data.temperature === undefined ? "" : String(data.temperature);
		default:
			return data[key];
	}
}

/** The value to keep, of the one that a control gave. */
export function fromControl(data: Data, key: SettingKey, value: unknown): Partial<Data> {
	switch (key) {
		case "denyPatterns":
		case "redactPatterns":
			return {
				[key]: String(value)
					.split("\n")
					.map((line) => line.trim())
					.filter((line) => line !== ""),
			};
		case "preset":
			return switchPreset(data, String(value));
		case "callsPerMinute":
			return { callsPerMinute: ratesIn(String(value)) };
		case "keepBytes":
			return { keepBytes: Math.round(Number(value) * megabyte) };
		case "temperature": {
			const text = String(value).trim().replace(",", ".");
			return { temperature: text === "" ? undefined : Number(text) };
		}
		case "model":
		case "baseUrl":
			return { [key]: String(value).trim() };
		default:
			return { [key]: value };
	}
}

/** By which name the settings keep what they say of the model that they name. */
const modelKey = ({ provider, model }: Data): string => `${provider} ${model}`;

/** How hard the model thinks; "" where it decides. */
export function effortOf(data: Data): string {
	return data.efforts[modelKey(data)] ?? "";
}

/** The changes that an effort makes. */
export function withEffort(data: Data, effort: string): Partial<Data> {
	return { efforts: { ...data.efforts, [modelKey(data)]: effort } };
}

/** How many tokens the model takes, as the person wrote it; "" where the endpoint is to say it. */
export function windowOf(data: Data): string {
	return String(data.windows[modelKey(data)] || "");
}

/** The changes that a window makes; what is no number of tokens takes it out. */
export function withWindow(data: Data, typed: string): Partial<Data> {
	const { [modelKey(data)]: _before, ...windows } = data.windows;
	const tokens = Math.round(Number(typed));
	return { windows: tokens > 0 ? { ...windows, [modelKey(data)]: tokens } : windows };
}

/** Lines such as "vault.createFile = 20"; others are left out. */
function ratesIn(text: string): Record<string, number> {
	const rates: Record<string, number> = {};
	for (const line of text.split("\n")) {
		const [, tool, n] = /^\s*(\S+?)\s*[=:]\s*(\d+)\s*$/.exec(line) ?? [];
		if (tool && Number(n) > 0) rates[tool] = Number(n);
	}
	return rates;
}
