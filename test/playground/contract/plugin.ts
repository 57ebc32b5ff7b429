/**
 * The contract as a plugin, to run it in a real Obsidian: `make contract VAULT=path` puts it into a test vault. Switch
 * it on and run its command. It works in a folder of its own, and saves the outcome as one file, so that anybody can
 * send it. There is nothing in it of the vault but what the contract itself made.
 */
import * as obsidian from "obsidian";
import { behaviours } from "../behaviours";
import { contract } from "./index";
import { runContract, type Outcome } from "./host";

/** Where the outcome is saved. */
const outcomeFile = "Contract outcome.json";

/** What the file says. */
export interface Saved {
	/** The version of the app's interface. */
	app: string;
	/** The app's words for the platform that are true here. */
	platform: string[];
	outcomes: (Outcome & { standing: string })[];
}

export default class ContractPlugin extends obsidian.Plugin {
	override onload(): void {
		this.addCommand({ id: "run", name: "Run", callback: () => void this.run() });
	}

	private async run(): Promise<void> {
		const standings = new Map(behaviours.map(({ id, standing }) => [id, standing]));
		const outcomes = (await runContract(contract, { app: this.app, obsidian })).map((outcome) => ({
			...outcome,
			standing: standings.get(outcome.behaviour) ?? "not in the table",
		}));
		const platform = Object.entries(obsidian.Platform)
			.filter(([, value]) => value === true)
			.map(([name]) => name);
		const saved: Saved = { app: obsidian.apiVersion, platform, outcomes };
		await this.app.vault.adapter.write(outcomeFile, `${JSON.stringify(saved, null, 2)}\n`);
		const failed = outcomes.filter(({ status }) => status === "failed").length;
		new obsidian.Notice(
			`The contract has run: ${failed} of ${outcomes.length} failed. See ${outcomeFile}.`,
			0,
		);
	}
}
