// Endpoints that people know by name. A preset is only a shorter way to write
// the provider and the address: nothing else depends on it but a link.

import { AddressAnthropic, AddressOpenAI } from "../../bridge/protocol.gen";
import { originOf } from "../host/key-hosts";
import type { Provider, Settings } from "../protocol";

/** The settings of a preset. */
type Endpoint = Pick<Settings, "provider" | "baseUrl">;

/**
 * The presets with a fixed address, in the order that they are listed in. Each address, and that a list of models is
 * below it, is as the documentation says: platform.openai.com/docs/api-reference, platform.claude.com/docs/en/api,
 * docs.ollama.com/api, lmstudio.ai/docs, tools/server/README.md of llama.cpp, docs.vllm.ai (OpenAI-compatible server),
 * openrouter.ai/docs/api-reference, ai.google.dev/api, learn.microsoft.com/azure/foundry/openai/api-version-lifecycle,
 * docs.x.ai/developers/rest-api-reference, console.groq.com/docs/api-reference, docs.mistral.ai/api and
 * api-docs.deepseek.com.
 */
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
	deepseek: { provider: "custom", baseUrl: "https://api.deepseek.com" },
};

/** The address that a preset had in an earlier version, and that works on. */
const former: Record<string, string> = { "https://api.deepseek.com/v1": "deepseek" };

/** Where a person makes a key for a preset, as its documentation says. */
const keyPages: Record<string, string> = {
	openai: "https://platform.openai.com/api-keys",
	anthropic: "https://platform.claude.com/settings/keys",
	openrouter: "https://openrouter.ai/settings/keys",
	gemini: "https://aistudio.google.com/apikey",
	azure: "https://portal.azure.com/",
	xai: "https://console.x.ai/team/default/api-keys",
	groq: "https://console.groq.com/keys",
	mistral: "https://console.mistral.ai/api-keys",
	deepseek: "https://platform.deepseek.com/api_keys",
};

/** Presets whose address the person gives. */
export const open = ["custom", "text"];

/** The preset that settings amount to. */
export function presetOf({ provider, baseUrl }: Endpoint): string {
	const same = Object.entries(presets).find(([, p]) => p.provider === provider && p.baseUrl === baseUrl);
	if (!same && provider === "custom" && originOf(baseUrl).endsWith(".openai.azure.com")) return "azure";
	return same?.[0] ?? (provider === "custom" ? former[baseUrl] : undefined) ?? provider;
}

/** The page on which keys for an endpoint are made; "" where nobody can know, as for an address of the person's own. */
export function keyPageOf(endpoint: Endpoint): string {
	const own = endpoint.provider !== "custom" && endpoint.baseUrl !== "";
	return own ? "" : (keyPages[presetOf(endpoint)] ?? "");
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
