// The plugin: what the app sees. Loading reads data.json and registers; the
// core starts when the panel is opened or a command needs it.

import { getLanguage, Notice, Plugin, type ObsidianProtocolData, type WorkspaceLeaf } from "obsidian";
import type { Client } from "../bridge/client";
import { ActionCommands } from "./commands";
import { coreSettings, type Data, type PaletteEntry } from "./data";
import { KeptSettings } from "./kept-settings";
import { setLanguage, t } from "../i18n";
import { asProblem } from "./panel/core";
import { quietly, testing, Waiting } from "./panel/waiting";
import type { PanelController } from "./panel/controller.svelte";
import type { Event, Method, Params, Result, TestResult } from "./protocol";
import { ActionRibbon, removeRibbonIcon } from "./ribbon";
import { AgentSettings } from "./settings/tab";
import { Status } from "./status";
import { ReviewView, reviewType } from "./review-view";
import { PanelView, viewType } from "./view";
import { visible } from "./text/marks";

/** The name of the link that opens the panel: obsidian://embedded-agent. */
const link = "embedded-agent";

export default class EmbeddedAgentPlugin extends Plugin {
	private kept = KeptSettings.read(null);
	private saving: Promise<void> = Promise.resolve();
	private controller: Promise<PanelController> | null = null;
	private connected: Promise<Client> | null = null;
	private client: Client | null = null;
	private unloaded = false;
	private refused = "";
	private readonly inSettings = new Waiting();
	private settingTab!: AgentSettings;
	private status!: Status;
	private readonly commands = new ActionCommands({
		add: (action) => this.addActionCommand(action),
		remove: (id) => this.removeCommand(commandId(id)),
	});

	private readonly ribbon = new ActionRibbon(({ id, name, icon }) => {
		const el = this.addRibbonIcon(icon || "play", name, () => void this.runAction(id));
		return () => removeRibbonIcon(this, name, el);
	});

	override async onload(): Promise<void> {
		setLanguage(getLanguage());
		this.kept = KeptSettings.read(await this.loadData());
		this.status = new Status(this, { visible: () => this.visible(), open: (run) => void this.openRun(run) });
		this.registerView(viewType, (leaf: WorkspaceLeaf) => new PanelView(leaf, () => this.panel()));
		this.registerView(
			reviewType,
			(leaf: WorkspaceLeaf) =>
				new ReviewView(
					leaf,
					() => this.panel(),
					() => void this.open(),
				),
		);
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
		this.registerDomEvent(window, "focus", () => this.lookAgain());
		this.registerObsidianProtocolHandler(link, (params) => void this.followLink(params));
	}

	override onunload(): void {
		this.unloaded = true;
		this.client?.dispose();
		this.client = null;
		void this.controller?.then((controller) => controller.dispose());
	}

	/** The settings, as data.json has them. */
	get data(): Data {
		return this.kept.data;
	}

	/** data.json was changed by sync or by hand. What was changed here since the other device wrote it stays. */
	override async onExternalSettingsChange(): Promise<void> {
		await this.save();
	}

	/**
	 * Writes the settings where the file is not as they are. It is read before: sync may have brought another device's in
	 * this moment. One after the other, so that none is overwritten unread.
	 */
	private save(): Promise<void> {
		const saved = this.saving.then(async () => {
			const file = KeptSettings.read(await this.loadData());
			const merged = this.kept.merge(file);
			const learned = !merged.equals(this.kept);
			this.kept = merged;
			if (!merged.equals(file)) await this.saveData(merged.file);
			if (learned) await this.follow();
		});
		this.saving = saved.catch(() => undefined); // whoever waits for this one hears of it
		return saved;
	}

	/** Goes by settings that came from elsewhere. */
	private async follow(): Promise<void> {
		this.commands.follow(this.data.palette);
		this.ribbon.follow(this.data.palette);
		this.settingTab.update();
		await this.configure();
	}

	/** Keeps what the person chose, and tells the core if it runs. */
	async changeData(fields: Partial<Data>): Promise<void> {
		this.kept = this.kept.with(fields);
		await Promise.all([this.save(), this.configure()]); // what is kept is already in force
	}

	/** Keeps what the person chose only when the core takes it; throws the core's reason. */
	async tryData(fields: Partial<Data>): Promise<void> {
		const state = await this.ask("configure", coreSettings({ ...this.data, ...fields }));
		this.kept = this.kept.with(fields);
		await this.save();
		(await this.panel()).reset(state);
	}

	/**
	 * Asks the core, and starts it if it sleeps. Throws the core's reason. What the
	 * settings ask ends when they are left, and when it takes longer than ms.
	 */
	async ask<M extends Method>(method: M, params: Params<M>, ms = quietly): Promise<Result<M>> {
		const core = await this.core();
		// What a person has set is taken over, whatever they look at next.
		if (method === "configure") return core.request(method, params);
		return this.inSettings.run(ms, (signal) => core.request(method, params, { signal }));
	}

	/** Asks the core for what goes on when the settings are left. Throws the core's reason. */
	async carryOut<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
		return (await this.core()).request(method, params);
	}

	/** Ends what the settings wait for. */
	leaveSettings(): void {
		this.inSettings.end();
	}

	/** Whether the core is awake. */
	awake(): boolean {
		return this.client?.status.phase === "ready";
	}

	/**
	 * The panel's controller, which outlives the panel. It is made when something
	 * first needs it: what the panel is made of takes no time when the app starts.
	 */
	panel(): Promise<PanelController> {
		return (this.controller ??= import("./panel-controller").then(({ makeController }) =>
			makeController(this, () => this.core()),
		));
	}

	/** Asks the model's endpoint for a sign of life. */
	async testConnection(): Promise<TestResult> {
		try {
			return await this.ask("connection.test", {}, testing);
		} catch (error) {
			return { ok: false, findings: [], models: [], problem: asProblem(error) };
		}
	}

	private async configure(): Promise<void> {
		// A core that is starting may have been told what was before; one that sleeps is told when it starts.
		if (!this.awake() && this.client?.status.phase !== "starting") return;
		try {
			const state = await this.ask("configure", coreSettings(this.data));
			(await this.panel()).reset(state);
			this.refused = "";
		} catch (error) {
			// Told once, not at every letter that is typed.
			const words = t(asProblem(error));
			if (words !== this.refused) new Notice(visible(words));
			this.refused = words;
		}
	}

	private async core(): Promise<Client> {
		const client = await (this.connected ??= this.connect());
		await client.start();
		return client;
	}

	private async connect(): Promise<Client> {
		const [controller, { connect }] = await Promise.all([this.panel(), import("./host")]);
		const client = connect(this, { settings: () => coreSettings(this.data), panelType: viewType });
		// A client that was given up says so to whoever asks it.
		if (this.unloaded) client.dispose();
		else this.client = client;
		client.subscribe((event) => this.heard(controller, event));
		client.onStatus(({ phase, problem }) => {
			// A core that died and was started anew is told; one that stays down fails its requests.
			if (phase === "ready" && problem) new Notice(visible(t(problem)));
		});
		return client;
	}

	/** What another window or device has saved meanwhile is seen when the person comes back to this one. */
	private lookAgain(): void {
		if (this.client?.status.phase !== "ready") return;
		this.client.request("actions.list", {}).catch(() => undefined); // the next look tries again
	}

	private heard(controller: PanelController, event: Event): void {
		controller.receive(event);
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
		this.kept = this.kept.with({ palette });
		void this.save();
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
		await (await this.panel()).ask("actions.run", { id });
	}

	private async revertLast(): Promise<void> {
		const controller = await this.begin();
		if (controller.revertable === "") new Notice(t("panel.command.nothingToRevert"));
		else await controller.revert(controller.revertable);
	}

	/** obsidian://embedded-agent, with action=NAME (asked before it runs) or run=ID. */
	private async followLink(params: ObsidianProtocolData): Promise<void> {
		const controller = await this.begin();
		if (params["run"]) {
			await controller.showRun(params["run"]);
			if (params["file"]) await controller.showAttachment(params["run"], params["file"]);
			return;
		}
		// "action" is also what the app calls the link's own name.
		const name = params["name"] ?? (params.action === link ? undefined : params.action);
		if (!name) return;
		const action = controller.state.actions.find((a) => a.name === name || a.id === name);
		if (action) controller.linked = action;
		else new Notice(visible(t("panel.link.unknown", { name })));
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
		const controller = await this.panel();
		controller.flush();
		if (run && controller.state.run?.run !== run) await controller.showRun(run);
		else controller.screen = "chat";
	}

	/** Opens the panel and waits until it knows what the core knows. */
	private async begin(): Promise<PanelController> {
		await this.open();
		const controller = await this.panel();
		await controller.start();
		controller.flush();
		return controller;
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
