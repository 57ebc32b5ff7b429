// The plugin: what the app sees. Loading reads data.json and registers; the
// core starts when the panel is opened or a command needs it.

import { getLanguage, Notice, Plugin, type ObsidianProtocolData, type WorkspaceLeaf } from "obsidian";
import type { Client } from "../bridge/client";
import { connect } from "../bridge/host";
import { ActionCommands } from "./commands";
import { coreSettings, firstRun, readData, type Data, type PaletteEntry } from "./data";
import { ObsidianDesk } from "./desk";
import { nextFrame } from "./frame";
import { setLanguage, t } from "./i18n";
import { asProblem } from "./panel/core";
import { revertable } from "./panel/reducer";
import { Session } from "./panel/session.svelte";
import type { Event, Method, Params, Result, TestResult } from "./protocol";
import { ActionRibbon } from "./ribbon";
import { AgentSettings } from "./settings";
import { ObsidianShell } from "./shell";
import { Status } from "./status";
import { PanelView, viewType } from "./view";

/** The name of the link that opens the panel: obsidian://embedded-agent. */
const link = "embedded-agent";

export default class EmbeddedAgentPlugin extends Plugin {
	data: Data = firstRun;
	private session!: Session;
	private client: Client | null = null;
	private refused = "";
	private settingTab!: AgentSettings;
	private status!: Status;
	private readonly commands = new ActionCommands({
		add: (action) => this.addActionCommand(action),
		remove: (id) => this.removeCommand(commandId(id)),
	});

	private readonly ribbon = new ActionRibbon(({ id, name, icon }) => {
		const el = this.addRibbonIcon(icon || "play", name, () => void this.runAction(id));
		return () => el.remove();
	});

	override async onload(): Promise<void> {
		setLanguage(getLanguage());
		this.data = readData(await this.loadData());
		this.session = new Session(() => this.core(), new ObsidianShell(this), nextFrame, new ObsidianDesk(this));
		this.status = new Status(this, { visible: () => this.visible(), open: (run) => void this.openRun(run) });
		this.registerView(viewType, (leaf: WorkspaceLeaf) => new PanelView(leaf, this.session));
		this.addRibbonIcon("wand-sparkles", t("panel.title"), () => void this.open());
		this.addCommand({ id: "open", name: t("panel.command.open"), callback: () => void this.open() });
		this.addCommand({
			id: "revert-last-run",
			name: t("panel.command.revert"),
			callback: () => void this.revertLast(),
		});
		this.commands.follow(this.data.palette);
		this.ribbon.follow(this.data.palette);
		this.settingTab = new AgentSettings(this.app, this);
		this.addSettingTab(this.settingTab);
		this.registerObsidianProtocolHandler(link, (params) => void this.followLink(params));
	}

	override onunload(): void {
		this.client?.dispose();
		this.client = null;
		this.session.dispose();
	}

	/** data.json was changed by sync or by hand. */
	override async onExternalSettingsChange(): Promise<void> {
		this.data = readData(await this.loadData());
		this.commands.follow(this.data.palette);
		this.ribbon.follow(this.data.palette);
		this.settingTab.update();
		await this.configure();
	}

	/** Keeps what the person chose, and tells the core if it runs. */
	async changeData(fields: Partial<Data>): Promise<void> {
		this.data = { ...this.data, ...fields };
		await Promise.all([this.saveData(this.data), this.configure()]); // what is kept is already in force
	}

	/** Keeps what the person chose only when the core takes it; throws the core's reason. */
	async tryData(fields: Partial<Data>): Promise<void> {
		const next = { ...this.data, ...fields };
		const state = await this.ask("configure", coreSettings(next));
		this.data = next;
		await this.saveData(next);
		this.session.reset(state);
	}

	/** Asks the core, and starts it if it sleeps. Throws the core's reason. */
	async ask<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
		return (await this.core()).request(method, params);
	}

	/** Whether the core is awake. */
	awake(): boolean {
		return this.client?.status.phase === "ready";
	}

	/** The panel's session, for pages of the settings that show its parts. */
	get panel(): Session {
		return this.session;
	}

	/** Asks the model's endpoint for a sign of life. */
	async testConnection(): Promise<TestResult> {
		try {
			return await this.ask("connection.test", {});
		} catch (error) {
			return { ok: false, findings: [], models: [], problem: asProblem(error) };
		}
	}

	private async configure(): Promise<void> {
		// A core that is starting may have been told what was before; one that sleeps is told when it starts.
		if (!this.awake() && this.client?.status.phase !== "starting") return;
		try {
			this.session.reset(await this.ask("configure", coreSettings(this.data)));
			this.refused = "";
		} catch (error) {
			// Told once, not at every letter that is typed.
			const words = t(asProblem(error));
			if (words !== this.refused) new Notice(words);
			this.refused = words;
		}
	}

	private async core(): Promise<Client> {
		this.client ??= this.connect();
		await this.client.start();
		return this.client;
	}

	private connect(): Client {
		const client = connect(this, { settings: () => coreSettings(this.data), panelType: viewType });
		client.subscribe((event) => this.heard(event));
		client.onStatus(({ phase, problem }) => {
			// A core that died and was started anew is told; one that stays down fails its requests.
			if (phase === "ready" && problem) new Notice(t(problem));
		});
		return client;
	}

	private heard(event: Event): void {
		this.session.receive(event);
		if (event.type === "actions.changed") this.keepPalette(event.actions ?? []);
		if (event.type === "state") this.keepPalette(event.state?.actions ?? []);
		this.status.heard(event);
	}

	private keepPalette(actions: readonly PaletteEntry[]): void {
		const commands = this.commands.follow(actions);
		if (!this.ribbon.follow(actions) && !commands) return;
		const palette = actions.map(({ id, name, icon, ribbon }) =>
			ribbon ? { id, name, icon: icon ?? "", ribbon } : { id, name },
		);
		this.data = { ...this.data, palette };
		void this.saveData(this.data);
	}

	private addActionCommand({ id, name }: PaletteEntry): void {
		this.addCommand({
			id: commandId(id),
			name: t("panel.command.action", { name }),
			callback: () => void this.runAction(id),
		});
	}

	/** Opens the panel on the review of the action; the core asks for what is missing. */
	private async runAction(id: string): Promise<void> {
		await this.open();
		await this.session.ask("actions.run", { id });
	}

	private async revertLast(): Promise<void> {
		await this.open();
		await this.session.start();
		this.session.flush();
		const run = revertable(this.session.state);
		if (run === "") new Notice(t("panel.command.nothingToRevert"));
		else await this.session.revert(run);
	}

	/** obsidian://embedded-agent, with action=NAME (asked before it runs) or run=ID. */
	private async followLink(params: ObsidianProtocolData): Promise<void> {
		await this.open();
		await this.session.start();
		this.session.flush();
		if (params["run"]) return this.session.showRun(params["run"]);
		// "action" is also what the app calls the link's own name.
		const name = params["name"] ?? (params.action === link ? undefined : params.action);
		if (!name) return;
		const action = this.session.state.actions.find((a) => a.name === name || a.id === name);
		if (action) this.session.linked = action;
		else new Notice(t("panel.link.unknown", { name }));
	}

	/** Shows the panel and puts the caret into the message. */
	private async open(): Promise<void> {
		const { workspace } = this.app;
		const leaf = await workspace.ensureSideLeaf(viewType, "right", { active: true, reveal: true });
		if (leaf.view instanceof PanelView) leaf.view.focusMessage();
	}

	/** Shows the panel where a run is: in the chat if it is the last one, else in the history. */
	private async openRun(run?: string): Promise<void> {
		await this.open();
		this.session.flush();
		if (run && this.session.state.run?.run !== run) await this.session.showRun(run);
		else this.session.screen = "chat";
	}

	private visible(): boolean {
		return this.app.workspace
			.getLeavesOfType(viewType)
			.some((leaf) => leaf.view instanceof PanelView && leaf.view.containerEl.isShown());
	}
}

function commandId(action: string): string {
	return `action-${action}`;
}
