// The desk in Obsidian: pickers that are the app's own, and the plugin's settings.

import { FuzzySuggestModal, getIconIds, Notice, setIcon, type FuzzyMatch } from "obsidian";
import { coreSettings } from "./data";
import { t } from "../i18n";
import { asProblem } from "./panel/core";
import type { Choice, Desk } from "./panel/desk";
import type EmbeddedAgentPlugin from "./plugin";
import type { Problem, Settings } from "./protocol";

/** The app's pickers and this plugin's settings, for the panel. */
export class ObsidianDesk implements Desk {
	constructor(private readonly agent: EmbeddedAgentPlugin) {}

	choose(hint: string, choices: readonly Choice[], chosen: (value: string) => void): void {
		new Picker(this.agent, hint, choices, chosen).open();
	}

	iconNames(): readonly string[] {
		return getIconIds().map((id) => id.replace(/^lucide-/, ""));
	}

	openCommunityPlugins(): void {
		// Not in the public typings; without it the person opens the settings by hand.
		const { setting } = this.agent.app as EmbeddedAgentPlugin["app"] & {
			setting?: { open(): void; openTabById(id: string): unknown };
		};
		if (!setting) return void new Notice(t("panel.plugins.byHand"));
		setting.open();
		setting.openTabById("community-plugins");
	}

	settings(): Settings {
		return coreSettings(this.agent.data);
	}

	async changeSettings(fields: Partial<Settings>): Promise<Problem | null> {
		try {
			await this.agent.tryData(fields);
			return null;
		} catch (error) {
			return asProblem(error);
		}
	}
}

class Picker extends FuzzySuggestModal<Choice> {
	constructor(
		agent: EmbeddedAgentPlugin,
		hint: string,
		private readonly choices: readonly Choice[],
		private readonly chosen: (value: string) => void,
	) {
		super(agent.app);
		this.setPlaceholder(hint);
	}

	override getItems(): Choice[] {
		return [...this.choices];
	}

	override getItemText(choice: Choice): string {
		return choice.label;
	}

	override renderSuggestion(match: FuzzyMatch<Choice>, el: HTMLElement): void {
		if (match.item.icon) setIcon(el.createSpan({ cls: "ea-pick-icon" }), match.item.icon);
		super.renderSuggestion(match, el.createSpan());
	}

	override onChooseItem(choice: Choice): void {
		this.chosen(choice.value);
	}
}
