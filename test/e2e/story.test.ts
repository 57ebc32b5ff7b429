import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startModelServer } from "../../playground/model/server.mjs";
import {
	hashFolder,
	openNote,
	readNote,
	repository,
	runFromPalette,
	selectLines,
	startPlayground,
	type Playground,
} from "./harness";

const vault = join(repository, "playground/vault");
const sentence =
	"Create a note for each bullet of the selection in folder Projects/XYZ and replace the selection with links to them";

describe("the main story on the sample vault", () => {
	let playground: Playground;
	let model: Awaited<ReturnType<typeof startModelServer>>;

	beforeAll(async () => {
		model = await startModelServer({ port: 0, delayMs: 1 });
		playground = await startPlayground({ vault, model: model.url });
	});
	afterAll(async () => {
		await playground?.close();
		await model?.close();
	});

	test("ten bullets become ten notes, the selection becomes links, and Revert leaves every byte as it was", async () => {
		const { page, vaultDir } = playground;
		const before = await hashFolder(vaultDir);
		await openNote(page, "Inbox/Ideas for the garden.md");
		await selectLines(page, 9, 24);
		await runFromPalette(page, "Embedded Agent: Open");
		await page.getByRole("textbox", { name: "Message" }).fill(sentence);
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await page
			.getByRole("region", { name: "Plan" })
			.getByText("Will create 10 notes under Projects/XYZ")
			.waitFor();
		expect(await hashFolder(vaultDir)).toEqual(before);
		await page.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("button", { name: "Revert last run" }).waitFor();
		expect(existsSync(join(vaultDir, "Projects/XYZ"))).toBe(true);
		expect(readNote(playground, "Inbox/Ideas for the garden.md")).toContain("- [[");
		await page.getByRole("button", { name: "Revert last run" }).click();
		await expect.poll(() => existsSync(join(vaultDir, "Projects/XYZ"))).toBe(false);
		await expect.poll(() => hashFolder(vaultDir)).toEqual(before);
		expect(playground.errors).toEqual([]);
	});
});
