/** A review of many files: in the panel, in a tab of its own, by keyboard, and against the disk. */
import { afterAll, expect, onTestFinished, test } from "vitest";
import { eventually, leave, sitDown, type Person } from "./person";

afterAll(leave);

const count = 60;

/** A person with the open review of a plan that makes notes. */
async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	await person.page.setViewportSize({ width: 1500, height: 900 });
	await person.page.evaluate(async (n) => {
		const agent = window.app.plugins.plugins["embedded-agent"] as unknown as {
			core(): Promise<{
				request(method: string, params: object): Promise<{ actions: { id: string; name: string }[] }>;
			}>;
		};
		const client = await agent.core();
		const step = {
			id: "make",
			tool: "vault.createFile",
			args: { path: "Box/Part {n}.md", content: "One.\n" },
			foreach: { from: Array.from({ length: n }, (_, i) => i + 1), itemName: "n" },
		};
		const change = {
			id: "add",
			tool: "vault.appendFile",
			args: { path: "Notes/Soil.md", content: "\nMore.\n" },
		};
		const plan = { goal: "Many notes", assumptions: [], steps: [step, change] };
		const json = JSON.stringify({
			format: "embedded-agent/actions",
			version: 1,
			actions: [{ id: "", name: "Many notes", plan }],
		});
		await client.request("actions.import", { json, confirm: true });
		const { actions } = await client.request("actions.list", {});
		await client.request("actions.run", { id: actions.find(({ name }) => name === "Many notes")?.id ?? "" });
	}, count);
	await person.button("Approve").waitFor();
	return person;
}

test("the files are in natural order, and what is left out by its folder and filter is not written", async () => {
	const person = await seat();
	const { panel, page } = person;
	const rows = panel.getByRole("list", { name: "Files that would change" }).locator(".ea-path-name");
	expect((await rows.allInnerTexts()).slice(0, 3)).toEqual(["Part 1.md", "Part 2.md", "Part 3.md"]);
	await panel
		.getByText(`${count + 1} files`)
		.first()
		.waitFor();
	await panel.getByRole("searchbox", { name: "Filter files" }).fill("part 1");
	await panel.getByText(`11 of ${count + 1} files`).waitFor();
	await person.button("Deselect all shown").click();
	await panel.getByText(", 11 left out").waitFor();
	await panel.getByRole("searchbox", { name: "Filter files" }).press("Control+Enter");
	await eventually(() => person.read(`Box/Part ${count}.md`)).toBe("One.\n");
	await eventually(() => person.read("Notes/Soil.md")).toContain("More.");
	expect(() => person.read("Box/Part 1.md")).toThrow();
	expect(() => person.read("Box/Part 12.md")).toThrow();
	expect(person.read("Box/Part 2.md")).toBe("One.\n");
	expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
	expect(person.playground.errors).toEqual([]);
});

test("the review opens in a tab, stands side by side there, and the tab goes with it", async () => {
	const person = await seat();
	const { page } = person;
	const panel = page.locator(".ea-panel:not(.ea-review-tab)");
	await person.button("Open in a tab").click();
	const tab = page.locator(".ea-review-tab");
	await tab.getByRole("button", { name: "Approve" }).waitFor();
	await panel.getByText("The review is open in a tab.").waitFor();
	expect(await panel.getByRole("button", { name: "Approve" }).count()).toBe(0);
	expect(await page.evaluate(() => document.activeElement?.classList.contains("ea-review"))).toBe(true);

	await tab.getByRole("searchbox", { name: "Filter files" }).fill("Soil");
	await tab.getByRole("button", { name: /Soil\.md/ }).click();
	await tab.locator(".cm-mergeView").waitFor();

	// Back to the panel and to the tab again.
	await panel.getByRole("button", { name: "Show it here" }).click();
	await tab.waitFor({ state: "detached" });
	await panel.getByRole("button", { name: "Approve" }).waitFor();
	await person.button("Open in a tab").click();
	await tab.getByRole("button", { name: "Approve" }).waitFor();

	await page.keyboard.press("Control+Enter");
	await tab.waitFor({ state: "detached" });
	await eventually(() => person.read(`Box/Part ${count}.md`)).toBe("One.\n");
	// The keyboard is in the panel, where the run is.
	await eventually(() => page.evaluate(() => document.activeElement?.closest(".ea-panel") !== null)).toBe(
		true,
	);
	expect(person.playground.errors).toEqual([]);
});
