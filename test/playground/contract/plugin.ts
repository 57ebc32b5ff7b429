/**
 * The contract as a plugin, to run it in a real Obsidian: build it (`node test/playground/build.mjs contract`), put
 * `test/playground/dist/contract-plugin` into a test vault's plugins folder, and run the command "Run". It works in a
 * folder of its own, and the outcome is written to `Contract outcome.md`.
 */
import * as obsidian from "obsidian";
import { behaviours } from "../behaviours";
import { contract } from "./index";
import { runContract } from "./host";

export default class ContractPlugin extends obsidian.Plugin {
	override onload(): void {
		this.addCommand({ id: "run", name: "Run", callback: () => void this.run() });
	}

	private async run(): Promise<void> {
		const outcomes = await runContract(contract, { app: this.app, obsidian });
		const lines = outcomes.map(({ behaviour, status, message }) => {
			const known = behaviours.find(({ id }) => id === behaviour);
			return `- ${status}: ${behaviour} (${known?.standing ?? "not in the table"})${message ? `: ${message}` : ""}`;
		});
		await this.app.vault.adapter.write("Contract outcome.md", `${lines.join("\n")}\n`);
		new obsidian.Notice("The contract has run. See Contract outcome.md.");
	}
}
