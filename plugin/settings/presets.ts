// Endpoints that people know by name. A preset is only a shorter way to write
// the provider and the address: nothing else depends on it.

import { AddressAnthropic, AddressOpenAI } from "../../bridge/protocol.gen";
import { originOf } from "../host/key-hosts";
import type { Provider, Settings } from "../protocol";

/** The settings of a preset. */
type Endpoint = Pick<Settings, "provider" | "baseUrl">;

/** The presets with a fixed address, in the order that they are listed in. */
export const presets: Record<string, Endpoint> = {
	openai: { provider: "openai", baseUrl: "" },
	anthropic: { provider: "anthropic", baseUrl: "" },
	codex: { provider: "openai", baseUrl: "http://127.0.0.1:8788/v1" },
	ollama: { provider: "custom", baseUrl: "http://127.0.0.1:11434/api/chat" },
	lmstudio: { provider: "custom", baseUrl: "http://127.0.0.1:1234/v1" },
	llamacpp: { provider: "custom", baseUrl: "http://127.0.0.1:8080/v1" },
	vllm: { provider: "custom", baseUrl: "http://127.0.0.1:8000/v1" },
	openrouter: { provider: "custom", baseUrl: "https://openrouter.ai/api/v1" },
	gemini: { provider: "custom", baseUrl: "https://generativelanguage.googleapis.com/v1beta" },
	// No host has a name with an underscore: nothing is sent before the person has put in their own.
	azure: { provider: "custom", baseUrl: "https://YOUR_RESOURCE.openai.azure.com/openai/v1" },
	xai: { provider: "custom", baseUrl: "https://api.x.ai/v1" },
	groq: { provider: "custom", baseUrl: "https://api.groq.com/openai/v1" },
	mistral: { provider: "custom", baseUrl: "https://api.mistral.ai/v1" },
	deepseek: { provider: "custom", baseUrl: "https://api.deepseek.com/v1" },
};

/** Presets whose address the person gives. */
export const open = ["custom", "text"];

/** The preset that settings amount to. */
export function presetOf({ provider, baseUrl }: Endpoint): string {
	const same = Object.entries(presets).find(([, p]) => p.provider === provider && p.baseUrl === baseUrl);
	if (!same && provider === "custom" && originOf(baseUrl).endsWith(".openai.azure.com")) return "azure";
	return same ? same[0] : provider;
}

/** The changes that a preset makes. A custom address begins empty. */
export function choosePreset(name: string): Endpoint {
	// What is no preset with an address is the provider itself, as presetOf gives it.
	return presets[name] ?? { provider: name as Provider, baseUrl: "" };
}

/** The address that a provider is asked at; "" where the person has given none. */
export function addressOf({ provider, baseUrl }: Endpoint): string {
	if (baseUrl !== "") return baseUrl;
	const known: Partial<Record<Provider, string>> = { openai: AddressOpenAI, anthropic: AddressAnthropic };
	return known[provider] ?? "";
}

/** The changes that a preset makes, the key included: each provider has its own. */
export function switchPreset(data: Endpoint & KeyNames, name: string): Endpoint & KeyNames {
	const keyNames = { ...data.keyNames, [presetOf(data)]: data.keyName };
	return { ...choosePreset(name), keyNames, keyName: new Map(Object.entries(keyNames)).get(name) ?? "" };
}

/** The name of the key in use, and by preset those that were. */
interface KeyNames {
	keyName: string;
	keyNames: Record<string, string>;
}
