// The content of data.json: the person's settings as the core takes them, and the
// names of saved actions, so that their commands are in the palette before the
// core has started.

import type { HTTPHost, NamedSecret, Settings } from "./protocol";

/** A saved action as a command. */
export interface PaletteEntry {
	id: string;
	name: string;
	icon?: string;
	/** Shown in the ribbon too. */
	ribbon?: boolean;
}

/** The plugin's data.json. */
export interface Data extends Settings {
	/** Written by the playground: the address of its demonstration model. */
	demoModelUrl?: string;
	palette: PaletteEntry[];
	/** By a preset's name, the name of the key that was chosen with it: a provider never gets another one's. */
	keyNames: Record<string, string>;
	/** In the message, Enter breaks the line and Shift+Enter runs. */
	enterBreaks: boolean;
}

/**
 * The settings of a new vault. Numbers that are 0 and lists that are empty are
 * filled by the core; only what a zero value could not say is said here.
 */
export const firstRun: Data = {
	provider: "openai",
	model: "",
	baseUrl: "",
	keyName: "",
	streaming: true,
	maxTokens: 0,
	headers: {},
	efforts: {},
	windows: {},
	confirm: "always",
	allowCommands: false,
	allowDeletes: false,
	allowRenames: true,
	maxAttempts: 0,
	maxBackoffMs: 0,
	timeoutMs: 0,
	maxConcurrency: 0,
	maxSteps: 0,
	maxCalls: 0,
	maxPlanMb: 0,
	allowedRoots: [],
	denyPatterns: [],
	redactPatterns: [],
	keepRuns: 0,
	keepDays: 0,
	keepBytes: 0,
	agentIterations: 0,
	agentCalls: 0,
	agentTokens: 0,
	agentCost: 0,
	disabledTools: [],
	pinnedTools: [],
	callsPerMinute: {},
	prices: "",
	secrets: [],
	allowHttp: false,
	httpHosts: [],
	codeMaxMs: 0,
	codeMaxMb: 0,
	imageMaxPixels: 0,
	palette: [],
	keyNames: {},
	enterBreaks: false,
};

/**
 * Reads what loadData gave: a field that is missing, or is not of the kind that
 * it should be (a file edited by hand, or by a newer version), is as at the
 * first run. Where there is a demonstration model, a fresh vault talks to it.
 */
export function readData(saved: unknown): Data {
	const from = isObject(saved) ? saved : {};
	const data: Record<string, unknown> = { ...firstRun };
	for (const [key, fresh] of Object.entries(firstRun)) {
		const value = from[key];
		if (fits(value, fresh)) data[key] = value;
	}
	for (const key of ["keyNames", "headers", "efforts"]) data[key] = textsIn(from[key]);
	data["windows"] = Object.fromEntries(
		Object.entries(isObject(from["windows"]) ? from["windows"] : {}).filter(([, n]) => typeof n === "number"),
	);
	data["secrets"] = (data["secrets"] as NamedSecret[]).map((secret) => ({
		...secret,
		hosts: Array.isArray(secret.hosts) ? secret.hosts.filter((host) => typeof host === "string") : [],
	}));
	if (typeof from["temperature"] === "number") data["temperature"] = from["temperature"];
	if (typeof from["demoModelUrl"] === "string") {
		data["demoModelUrl"] = from["demoModelUrl"];
		if (from["provider"] === undefined) data["provider"] = "demo";
	}
	return data as unknown as Data;
}

/** The texts of an object by their keys; what is none is left out. */
function textsIn(value: unknown): Record<string, string> {
	if (!isObject(value)) return {};
	return Object.fromEntries(
		Object.entries(value).filter((e): e is [string, string] => typeof e[1] === "string"),
	);
}

function fits(value: unknown, like: unknown): boolean {
	if (isObject(like)) return isObject(value) && Object.values(value).every((n) => typeof n === "number");
	if (!Array.isArray(like)) return typeof value === typeof like;
	return Array.isArray(value) && value.every(elementOf(like));
}

/** The check for an element of a list. */
function elementOf(list: unknown[]): (value: unknown) => boolean {
	switch (list) {
		case firstRun.palette:
			return (value) => hasTexts(value, "id", "name");
		case firstRun.secrets:
			return (value) => hasTexts(value, "name", "scope", "secret");
		case firstRun.httpHosts:
			return (value) => hasTexts(value, "host") && Array.isArray((value as HTTPHost).methods);
		default:
			return (value) => typeof value === "string";
	}
}

function hasTexts(value: unknown, ...keys: string[]): boolean {
	return isObject(value) && keys.every((key) => typeof value[key] === "string");
}

/** Whether a value of JSON is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The settings that the core is told. */
export function coreSettings(data: Data): Settings {
	const {
		demoModelUrl,
		palette: _palette,
		keyNames: _keyNames,
		enterBreaks: _enterBreaks,
		...settings
	} = data;
	return demoModelUrl === undefined ? settings : { ...settings, demoUrl: demoModelUrl };
}
