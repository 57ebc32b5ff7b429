// The settings tab, declared. It stores what the person chose; every limit and
// switch is enforced in the core.

import {
	type ButtonComponent,
	type DropdownComponent,
	FuzzySuggestModal,
	PluginSettingTab,
	SecretComponent,
	type App,
	type Setting,
	type SettingDefinitionControl,
	type SettingDefinitionGroup,
	type SettingDefinitionItem,
	type SettingDefinitionList,
	type SettingDefinitionRender,
	type SettingDefinitionPage,
	type SettingGroupItem,
	type SettingPage,
	type TextAreaComponent,
	type TextComponent,
	type TFolder,
} from "obsidian";
import { allowedHosts, allowHost, originOf } from "../host/key-hosts";
import type { Data } from "../data";
import { bytes, t } from "../../i18n";
import { asProblem } from "../panel/core";
import type EmbeddedAgentPlugin from "../plugin";
import type { TestResult } from "../protocol";
import { addressOf, keyPageOf, open, presets } from "./presets";
import { redraw, whileDisabled } from "./focus";
import { HostsPage, PanelPage, SecretsPage } from "./pages";
import { RecordsRows } from "./records";
import {
	effortOf,
	fromControl,
	toControl,
	windowOf,
	withEffort,
	withWindow,
	type SettingKey,
} from "./values";

type Control = SettingDefinitionControl<SettingKey>;

/** The plugin's page in the settings. */
export class AgentSettings extends PluginSettingTab {
	private keySetting: Setting | null = null;
	private allowKey: ButtonComponent | null = null;
	private headersArea: TextAreaComponent | null = null;
	private effortList: DropdownComponent | null = null;
	private windowField: TextComponent | null = null;
	/** Whose headers are shown: until the page follows another address, what is typed belongs to this one. */
	private headersOrigin = "";

	constructor(
		app: App,
		private readonly agent: EmbeddedAgentPlugin,
	) {
		super(app, agent);
		this.icon = "wand-sparkles";
	}

	override getSettingDefinitions(): SettingDefinitionItem[] {
		return [
			{ type: "group", heading: t("settings.model"), items: this.model() },
			{ type: "group", heading: t("settings.safety"), items: this.safety() },
			this.folders(),
			{ type: "group", heading: t("settings.tools"), items: this.tools() },
			{ type: "group", heading: t("settings.privacy"), items: this.privacy() },
			{ type: "group", heading: t("settings.limits"), items: this.limits() },
			{ type: "group", heading: t("settings.runs"), items: this.runs() },
			{ type: "group", heading: t("settings.records"), items: new RecordsRows(this.app, this.agent).rows() },
			{ type: "group", heading: t("settings.panel"), items: [toggle("enterBreaks")] },
		] satisfies (SettingDefinitionGroup | SettingDefinitionList)[];
	}

	override hide(): void {
		super.hide();
		this.agent.leaveSettings();
	}

	override getControlValue(key: string): unknown {
		return toControl(this.agent.data, key as SettingKey);
	}

	override async setControlValue(key: string, value: unknown): Promise<void> {
		await this.change(fromControl(this.agent.data, key as SettingKey, value));
		// Another provider asks for other things; another address is none that the key goes to.
		if (key === "preset") this.redraw();
		if (key === "baseUrl" || key === "model") this.showEndpoint();
	}

	/** Draws the definitions anew; the keyboard stays where it is. */
	private redraw(): void {
		redraw(this.containerEl, () => this.update());
	}

	private change(fields: Partial<Data>): Promise<void> {
		return this.agent.changeData(fields);
	}

	private is(...providers: string[]): boolean {
		return providers.includes(this.agent.data.provider);
	}

	private model(): SettingGroupItem[] {
		const remote = () => !this.is("demo");
		return [
			dropdown("preset", [
				...Object.keys(presets),
				...open,
				...(this.agent.data.demoModelUrl ? ["demo"] : []),
			]),
			{ ...text("model", t("settings.model.hint")), visible: remote },
			{
				...text("baseUrl", addressOf({ ...this.agent.data, baseUrl: "" }) || t("settings.baseUrl.hint")),
				visible: remote,
			},
			{ ...this.key(), visible: remote },
			{ ...this.headers(), visible: remote },
			{ ...this.effort(), visible: remote },
			{ ...this.window(), visible: remote },
			toggle("streaming"),
			count("maxTokens"),
			{
				...text("temperature", t("settings.default")),
				control: {
					type: "text",
					key: "temperature",
					placeholder: t("settings.default"),
					validate: temperature,
				},
			},
			count("imageMaxPixels"),
			this.test(),
			this.page("usage", () => new PanelPage(() => this.agent.panel(), "usage")),
		];
	}

	/** A page of its own, with a description on its entry. */
	private page(key: string, page: () => SettingPage): SettingDefinitionPage {
		return { type: "page", name: t(`settings.${key}`), desc: t(`settings.${key}.desc`), page };
	}

	private tools(): SettingGroupItem[] {
		return [
			this.page("toolList", () => new PanelPage(() => this.agent.panel(), "tools")),
			this.page("secrets", () => new SecretsPage(this.app, this.agent)),
			toggle("allowHttp"),
			{
				...this.page("httpHosts", () => new HostsPage(this.agent)),
				visible: () => this.agent.data.allowHttp,
			},
			count("codeMaxMs"),
			count("codeMaxMb"),
		];
	}

	private key(): SettingDefinitionRender {
		return {
			name: t("settings.key"),
			desc: t("settings.key.desc"),
			render: (setting) => {
				setting.addButton((button) => {
					this.allowKey = button.onClick(() => {
						this.bindKey();
						this.showKey();
					});
				});
				setting.addComponent((el) =>
					new SecretComponent(this.app, el).setValue(this.agent.data.keyName).onChange((keyName) => {
						void this.change({ keyName });
						// Chosen beside the address that is shown: that is where it goes from this device.
						this.bindKey(keyName);
						this.showKey();
					}),
				);
				this.keySetting = setting;
				this.showKey();
			},
		};
	}

	/** Lets this device send the key to the endpoint that the page shows. */
	private bindKey(name = this.agent.data.keyName): void {
		allowHost(this.app, name, this.origin());
	}

	/** Says where a key is made, and where it goes from this device; where nobody has said so yet, there is a button to. */
	private showKey(): void {
		const { data } = this.agent;
		const origin = this.origin();
		const host = origin.replace(/^https:\/\//, "");
		const bound = allowedHosts(this.app, data.keyName).hosts.includes(origin);
		const words = [t("settings.key.desc")];
		if (data.keyName !== "" && host !== "")
			words.push(t(bound ? "settings.key.goes" : "settings.key.asks", { host }));
		this.keySetting?.setDesc(withKeyPage(words.join(" "), keyPageOf(data)));
		this.allowKey?.setButtonText(t("settings.key.allow", { host }));
		this.allowKey?.buttonEl.toggle(data.keyName !== "" && host !== "" && !bound);
	}

	/** What goes along with requests to the address that the page shows, and to no other. */
	private headers(): SettingDefinitionRender {
		return {
			name: t("settings.headers"),
			desc: t("settings.headers.desc", { key: "{{key}}", secret: "{{secret:NAME}}" }),
			render: (setting) => {
				setting.addTextArea((area) => {
					this.headersArea = area.onChange((lines) => {
						const { headers } = this.agent.data;
						void this.change({ headers: { ...headers, [this.headersOrigin]: lines } });
					});
					area.inputEl.setAttribute("aria-label", t("settings.headers"));
					// Not at every letter: half a name is another secret.
					area.inputEl.addEventListener("change", () => {
						for (const [, name] of area.getValue().matchAll(/\{\{secret:([^{}]+)\}\}/g))
							allowHost(this.app, name ?? "", this.headersOrigin);
					});
				});
				this.showEndpoint();
			},
		};
	}

	/** How hard the model that the page shows thinks. */
	private effort(): SettingDefinitionRender {
		return {
			...named("effort"),
			render: (setting) => {
				setting.addDropdown((list) => {
					for (const effort of ["", "off", "low", "medium", "high"])
						list.addOption(effort, t(effort === "" ? "settings.default" : `settings.effort.${effort}`));
					list.selectEl.setAttribute("aria-label", t("settings.effort"));
					this.effortList = list.onChange((effort) => void this.change(withEffort(this.agent.data, effort)));
				});
				this.showEndpoint();
			},
		};
	}

	/** How many tokens the model that the page shows takes. */
	private window(): SettingDefinitionRender {
		return {
			...named("window"),
			render: (setting) => {
				setting.addText((field) => {
					const { inputEl } = field;
					Object.assign(inputEl, { type: "number", min: "0", step: "1" });
					inputEl.setAttribute("aria-label", t("settings.window"));
					this.windowField = field
						.setPlaceholder(t("settings.default"))
						.onChange((typed) => void this.change(withWindow(this.agent.data, typed)));
				});
				this.showEndpoint();
			},
		};
	}

	/** Where the address of the page leads. */
	private origin(): string {
		return originOf(addressOf(this.agent.data));
	}

	/** Shows what belongs to the address and the model that the page shows. */
	private showEndpoint(): void {
		const { data } = this.agent;
		this.showKey();
		this.headersOrigin = this.origin();
		this.headersArea?.setValue(data.headers[this.headersOrigin] ?? "");
		this.effortList?.setValue(effortOf(data));
		this.windowField?.setValue(windowOf(data));
	}

	private test(): SettingDefinitionRender {
		return {
			name: t("settings.test"),
			desc: t("settings.test.desc"),
			render: (setting) => {
				setting.addButton((button) =>
					button.setButtonText(t("settings.test.button")).onClick(async () => {
						setting.setDesc(t("settings.test.running"));
						await whileDisabled(button.buttonEl, async () =>
							tell(setting, await this.agent.testConnection()),
						);
					}),
				);
			},
		};
	}

	private safety(): Control[] {
		return [
			dropdown("confirm", ["always", "writes", "never"]),
			toggle("allowDeletes"),
			toggle("allowRenames"),
			toggle("allowCommands"),
		];
	}

	private folders(): SettingDefinitionList {
		const roots = this.agent.data.allowedRoots;
		return {
			type: "list",
			heading: t("settings.allowedRoots"),
			emptyState: t("settings.allowedRoots.empty"),
			items: roots.map((path) => ({ name: path })),
			onDelete: (index) => {
				void this.change({ allowedRoots: roots.filter((_, i) => i !== index) }).then(() => this.redraw());
			},
			addItem: {
				name: t("settings.allowedRoots.add"),
				action: () => {
					new FolderModal(this.app, (folder) => {
						const next = [...new Set([...this.agent.data.allowedRoots, folder.path])];
						void this.change({ allowedRoots: next }).then(() => this.redraw());
					}).open();
				},
			},
		};
	}

	private privacy(): Control[] {
		return [lines("denyPatterns"), lines("redactPatterns")];
	}

	private limits(): Control[] {
		return [
			count("maxAttempts"),
			count("maxBackoffMs"),
			count("timeoutMs"),
			count("maxConcurrency"),
			count("maxSteps"),
			count("maxCalls"),
			count("maxPlanMb", 1000),
			count("agentIterations"),
			count("agentCalls"),
			count("agentTokens"),
			{ ...named("agentCost"), control: { type: "number", key: "agentCost", min: 0, step: "any" } },
			lines("callsPerMinute"),
		];
	}

	private runs(): SettingGroupItem[] {
		return [count("keepRuns"), count("keepDays"), count("keepBytes"), this.used()];
	}

	/** How much the kept runs take. A core that sleeps is not woken for that, unless it is asked for. */
	private used(): SettingDefinitionRender {
		return {
			name: t("settings.used"),
			desc: t("settings.used.desc"),
			render: (setting) => {
				const tell = async () => {
					const { bytes: taken } = await this.agent.ask("runs.list", { limit: 1 });
					setting.setDesc(t("settings.used.is", { size: bytes(taken) }));
				};
				const count = () =>
					tell().catch((error: unknown) => {
						setting.setDesc(t(asProblem(error)));
					});
				setting.addButton((button) =>
					button.setButtonText(t("settings.used.count")).onClick(() => void count()),
				);
				if (this.agent.awake()) void count();
			},
		};
	}
}

// Every switch says what it does: its name and its description go together.
function named(key: SettingKey | "effort" | "window"): { name: string; desc: string } {
	return { name: t(`settings.${key}`), desc: t(`settings.${key}.desc`) };
}

function toggle(key: SettingKey): Control {
	return { ...named(key), control: { type: "toggle", key } };
}

function text(key: SettingKey, placeholder: string): Control {
	return { ...named(key), control: { type: "text", key, placeholder } };
}

function count(key: SettingKey, max?: number): Control {
	return {
		...named(key),
		control: { type: "number", key, min: 0, max, step: 1, placeholder: t("settings.default") },
	};
}

function lines(key: SettingKey): Control {
	return { ...named(key), control: { type: "textarea", key, rows: 4 } };
}

function dropdown(key: SettingKey, values: string[]): Control {
	const options = Object.fromEntries(values.map((value) => [value, t(`settings.${key}.${value}`)]));
	return { ...named(key), control: { type: "dropdown", key, options } };
}

/** A text, and behind it a link to the page on which keys are made. */
function withKeyPage(text: string, page: string): string | DocumentFragment {
	if (page === "") return text;
	const name = page.replace(/^https:\/\/|\/$/g, "");
	return createFragment((all) => {
		all.append(`${text} `);
		all.createEl("a", { text: t("settings.key.make", { page: name }), href: page });
	});
}

function temperature(value: string): string | void {
	if (value.trim() === "") return;
	const n = Number(value.replace(",", "."));
	if (!(n >= 0 && n <= 2)) return t("settings.temperature.invalid");
}

function tell(setting: Setting, result: TestResult): void {
	const words = (result.findings ?? []).map((finding) => t(finding));
	if (result.problem) words.push(t(result.problem));
	if (result.models?.length)
		words.push(t("settings.test.models", { models: result.models.slice(0, 20).join(", ") }));
	setting.setDesc(words.join(" ") || t(result.ok ? "settings.test.ok" : "settings.test.failed"));
}

class FolderModal extends FuzzySuggestModal<TFolder> {
	constructor(
		app: App,
		private readonly chosen: (folder: TFolder) => void,
	) {
		super(app);
		this.setPlaceholder(t("settings.allowedRoots.add"));
	}

	override getItems(): TFolder[] {
		return this.app.vault.getAllFolders(false);
	}

	override getItemText(folder: TFolder): string {
		return folder.path;
	}

	override onChooseItem(folder: TFolder): void {
		this.chosen(folder);
	}
}
