// The undo records of this device: where they are, a copy of them, and their end.

import { ConfirmationModal, type App, type Setting, type SettingDefinitionRender } from "obsidian";
import { bytes, day, t } from "../../i18n";
import { asProblem } from "../panel/core";
import type EmbeddedAgentPlugin from "../plugin";
import type { Records } from "../protocol";
import { visible } from "../text/marks";
import { whileDisabled } from "./focus";

/** The rows of the section. */
export class RecordsRows {
	/** The row that says where the records are; it is told anew when they have changed. */
	private where: Setting | null = null;

	constructor(
		private readonly app: App,
		private readonly agent: EmbeddedAgentPlugin,
	) {}

	/** The rows, declared. */
	rows(): SettingDefinitionRender[] {
		return [this.place(), this.copy(), this.delete()];
	}

	/** Says where they are and how large. A core that sleeps is not woken for that, unless it is asked for. */
	private place(): SettingDefinitionRender {
		return row("where", (setting) => {
			this.where = setting;
			const show = () => this.tell(setting, () => this.agent.ask("records.get", {}).then(wordsOf));
			setting.addButton((button) =>
				button
					.setButtonText(t("settings.records.where.button"))
					.onClick(() => void whileDisabled(button.buttonEl, show)),
			);
			if (this.agent.awake()) void show();
		});
	}

	private copy(): SettingDefinitionRender {
		return row("copy", (setting) => {
			setting.addButton((button) =>
				button.setButtonText(t("settings.records.copy.button")).onClick(() =>
					whileDisabled(button.buttonEl, () =>
						this.tell(setting, async () => {
							const folder = t("settings.records.folder", { date: day(new Date()) });
							const copied = await this.agent.carryOut("records.copy", { folder });
							const words = [
								t("settings.records.copied", {
									n: copied.runs,
									size: bytes(copied.bytes),
									folder: copied.folder,
								}),
							];
							if (copied.left?.length) words.push(t("settings.records.left", { goals: quoted(copied.left) }));
							return words.join(" ");
						}),
					),
				),
			);
		});
	}

	private delete(): SettingDefinitionRender {
		return row("delete", (setting) => {
			setting.addButton((button) =>
				button
					.setButtonText(t("settings.records.delete.button"))
					.setDestructive()
					.onClick(() =>
						whileDisabled(button.buttonEl, () =>
							this.tell(setting, async () => {
								const found = await this.agent.ask("records.get", {});
								if (found.unfinished?.length)
									return t("settings.records.unfinished", { goals: quoted(found.unfinished) });
								if (found.runs === 0) return t("settings.records.none");
								if (!(await this.sure(found))) return t("settings.records.delete.desc");
								const left = await this.agent.carryOut("records.delete", {});
								this.where?.setDesc(wordsOf(left));
								return t("settings.records.deleted", { n: found.runs });
							}),
						),
					),
			);
		});
	}

	/** Asks once more, and says what is lost. */
	private sure(found: Records): Promise<boolean> {
		return new Promise((resolve) => {
			const modal = new ConfirmationModal(this.app);
			modal.setTitle(t("settings.records.delete"));
			modal.setContent(t("settings.records.sure", { n: found.runs, size: bytes(found.bytes) }));
			modal.addButton((button) =>
				button
					.setButtonText(t("settings.records.delete.button"))
					.setDestructive()
					.onClick(() => resolve(true)),
			);
			modal.addCancelButton(t("settings.records.cancel"));
			modal.setCloseCallback(() => resolve(false)); // after a yes it says nothing any more
			modal.open();
		});
	}

	/** Shows what came of something in its row, or why it did not. */
	private async tell(setting: Setting, words: () => Promise<string>): Promise<void> {
		try {
			setting.setDesc(visible(await words()));
		} catch (error) {
			setting.setDesc(visible(t(asProblem(error))));
		}
	}
}

function row(key: string, render: (setting: Setting) => void): SettingDefinitionRender {
	return { name: t(`settings.records.${key}`), desc: t(`settings.records.${key}.desc`), render };
}

/** Where the records are, how large, and what is promised about them. */
function wordsOf({ kind, runs, bytes: size, persisted, flushes, readOnly }: Records): string {
	const words = [
		t(`settings.records.in.${kind}`),
		t("settings.records.size", { n: runs, size: bytes(size) }),
		t(flushes ? "settings.records.flushes" : "settings.records.noFlush"),
	];
	if (kind !== "folder")
		words.push(t(persisted ? "settings.records.persisted" : "settings.records.notPersisted"));
	if (readOnly) words.push(t("settings.records.readOnly"));
	return words.join(" ");
}

const quoted = (goals: readonly string[]) =>
	goals.map((goal) => t("settings.records.goal", { goal })).join(", ");
