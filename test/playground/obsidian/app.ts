import type { Connection } from "../page/connection";
import type { Profile } from "../shared/profiles";
import { StatusBar } from "../shell/status-bar";
import { SettingWindow } from "../shell/setting-window";
import { CapacitorAdapter, FileSystemAdapter } from "./adapter";
import { Commands } from "./commands";
import { FileManager } from "./file-manager";
import { InternalPlugins } from "./internal-plugins";
import { MetadataCache } from "./metadata/cache";
import { Indexer } from "./metadata/indexer";
import { throwByName } from "./not-implemented";
import { Plugins, type PluginFactory } from "./plugins";
import { Keymap, Scope } from "./scope";
import { LocalStore, SecretStorage } from "./storage";
import { Vault } from "./vault";
import { Workspace } from "./workspace/workspace";

export interface AppParts {
	connection: Connection;
	profile: Profile;
	vaultName: string;
	/** Where the app draws itself. */
	parent: HTMLElement;
	evaluate: PluginFactory;
	/** Address of the metadata worker's script. */
	workerUrl: string;
}

/** The app: everything a plugin reaches starts here. */
export class App {
	appId: string;
	scope = new Scope();
	keymap: Keymap;
	vault: Vault;
	metadataCache: MetadataCache;
	workspace: Workspace;
	fileManager: FileManager;
	commands: Commands;
	plugins: Plugins;
	internalPlugins: InternalPlugins;
	setting: SettingWindow;
	statusBar: StatusBar;
	secretStorage: SecretStorage;
	lastEvent: Event | null = null;
	renderContext = { hoverPopover: null };
	isMobile: boolean;
	private readonly store: LocalStore;

	constructor(parts: AppParts) {
		const { connection, profile, vaultName, parent } = parts;
		this.appId = vaultName;
		this.isMobile = profile.mobile;
		this.keymap = new Keymap(this.scope);
		const Adapter = profile.mobile ? CapacitorAdapter : FileSystemAdapter;
		this.vault = new Vault(new Adapter(connection, profile, vaultName), connection, profile);
		this.metadataCache = new MetadataCache(this.vault, connection, new Indexer(parts.workerUrl));
		this.fileManager = new FileManager(this);
		this.commands = new Commands(this);
		this.statusBar = new StatusBar();
		this.setting = new SettingWindow(this);
		this.internalPlugins = new InternalPlugins(this);
		this.plugins = new Plugins(this, parts.evaluate);
		this.secretStorage = new SecretStorage(`${vaultName}-secret-`);
		this.store = new LocalStore(`${vaultName}-local-`);
		this.workspace = new Workspace(this, parent);
		for (const type of ["pointerdown", "keydown"])
			document.addEventListener(type, (event) => (this.lastEvent = event), { capture: true });
	}

	isDarkMode(): boolean {
		return document.body.hasClass("theme-dark");
	}

	getTheme(): string {
		return String(this.vault.getConfig("theme"));
	}

	/** `obsidian` is dark, `moonstone` light, `system` follows the device. */
	setTheme(theme: string): void {
		this.vault.setConfig("theme", theme);
		this.updateTheme();
	}

	updateTheme(): void {
		const theme = this.getTheme();
		const dark =
			theme === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme !== "moonstone";
		document.body.toggleClass("theme-dark", dark);
		document.body.toggleClass("theme-light", !dark);
		this.workspace.trigger("css-change");
	}

	loadLocalStorage(key: string): unknown {
		return this.store.load(key);
	}

	saveLocalStorage(key: string, data: unknown): void {
		this.store.save(key, data);
	}

	/** What an `obsidian://action?key=value` address does. False where nobody handles the action. */
	openProtocolUrl(url: string): boolean {
		const parsed = new URL(url);
		const action = parsed.hostname || parsed.pathname.replace(/^\/+/, "");
		const params: Record<string, string> = { action };
		for (const [key, value] of parsed.searchParams) params[key] = value;
		const handler = this.workspace.protocolHandlers.get(action);
		handler?.(params);
		return handler !== undefined;
	}
}
throwByName(App.prototype, "App", [
	"account",
	"cli",
	"customCss",
	"dom",
	"dragManager",
	"embedRegistry",
	"foldManager",
	"hotkeyManager",
	"metadataTypeManager",
	"mobileNavbar",
	"mobileToolbar",
	"shareReceiver",
	"viewRegistry",
]);
