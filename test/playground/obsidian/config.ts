/** The app's own options, from `app.json` and `appearance.json` of the configuration folder. */
import type { AnyAdapter } from "./adapter";

export type ConfigValue = string | number | boolean | string[] | null;

/** What holds where the person has chosen nothing. */
const defaults: Record<string, ConfigValue> = {
	alwaysUpdateLinks: true,
	attachmentFolderPath: "/",
	newFileFolderPath: "/",
	newFileLocation: "root",
	newLinkFormat: "shortest",
	readableLineLength: true,
	showInlineTitle: true,
	theme: "obsidian",
	trashOption: "system",
	useMarkdownLinks: false,
	userIgnoreFilters: null,
};

const appearance = new Set(["theme", "cssTheme", "accentColor", "baseFontSize"]);

export class Config {
	private values: Record<string, ConfigValue> = {};
	private overrides: Record<string, ConfigValue> = {};
	private adapter: AnyAdapter;
	private configDir: string;

	constructor(adapter: AnyAdapter, configDir: string) {
		this.adapter = adapter;
		this.configDir = configDir;
	}

	/** Reads both files; one that is not JSON counts as absent, with a warning. */
	async load(): Promise<void> {
		for (const name of ["app.json", "appearance.json"]) {
			const parsed = await readJson(this.adapter, `${this.configDir}/${name}`);
			if (parsed) Object.assign(this.values, parsed);
		}
	}

	get(key: string): ConfigValue | undefined {
		return this.overrides[key] ?? this.values[key] ?? defaults[key];
	}

	/** Holds until the page is reloaded and is not written. */
	override(key: string, value: ConfigValue): void {
		this.overrides[key] = value;
	}

	set(key: string, value: ConfigValue): void {
		delete this.overrides[key];
		this.values[key] = value;
		const inAppearance = appearance.has(key);
		const kept = Object.entries(this.values).filter(([name]) => appearance.has(name) === inAppearance);
		const file = `${this.configDir}/${inAppearance ? "appearance" : "app"}.json`;
		void this.adapter.writeAsApp(file, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
	}
}

/** A JSON object of the configuration folder, or null where it is missing or broken. */
export async function readJson(
	adapter: AnyAdapter,
	path: string,
): Promise<Record<string, ConfigValue> | null> {
	const text = await adapter.readAsApp(path);
	if (text === null) return null;
	try {
		return JSON.parse(text) as Record<string, ConfigValue>;
	} catch (error) {
		console.warn(`${path} is not JSON, so its options are ignored.`, error);
		return null;
	}
}
