// Every state of the panel in Chromium: it fits, can be pressed by a finger, and axe finds nothing wrong.
// Pictures are kept with SHOTS=folder.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, type Look } from "../../test/dev/build";
import { chatScenes } from "../../test/dev/chat";
import { misfits, smallTargets } from "../../test/dev/fit";
import { spoken } from "../../test/dev/spoken";
import { openStage, scenes as panelScenes, settled, show, type Stage } from "../../test/dev/stage";

const scenes = { ...panelScenes, ...chatScenes };
const shots = process.env["SHOTS"];

describe.skipIf(!findChromium())("the panel", () => {
	let stage: Stage;
	beforeAll(async () => {
		stage = await openStage();
	}, 60_000);
	afterAll(() => stage?.browser.close());

	const looks = [
		{ width: 300, theme: "light", mobile: false },
		{ width: 300, theme: "dark", mobile: true },
		{ width: 760, theme: "dark", mobile: false },
	];

	it.each(Object.keys(scenes))(
		"fits, and axe finds nothing wrong: %s",
		async (name) => {
			const scene = scenes[name]!;
			const page = await show(stage, scene.events, {}, scene.answers);
			const errors: string[] = [];
			page.on("pageerror", (error) => errors.push(error.message));
			await scene.after?.(page);
			for (const { width, theme, mobile } of looks) {
				await page.setViewportSize({ width, height: 800 });
				await page.evaluate(
					(cls) => {
						document.body.className = cls;
						window.dispatchEvent(new Event("resize")); // a phone's form comes with a phone's window
					},
					`theme-${theme}${mobile ? " is-mobile" : ""}`,
				);
				await settled(page);
				if (shots) {
					mkdirSync(shots, { recursive: true });
					await page.screenshot({
						path: join(shots, `${name}-${width}-${theme}${mobile ? "-mobile" : ""}.png`),
					});
				}
				expect(await misfits(page), `at ${width}`).toEqual([]);
				if (mobile) expect(await smallTargets(page), "too small for a finger").toEqual([]);
				// The page stands for the app, which has its own landmarks and headings.
				const axe = await new AxeBuilder({ page })
					.disableRules(["region", "page-has-heading-one", "heading-order"])
					.analyze();
				const wrong = axe.violations.map(
					(v) =>
						`${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 120)} (${n.any[0]?.message ?? ""})`).join(" ")}`,
				);
				expect(wrong, `${width} ${theme}`).toEqual([]);
			}
			expect(errors).toEqual([]);
			await page.context().close();
		},
		60_000,
	);

	it.each<[string, Look]>([
		["in German", { width: 300, lang: "de" }],
		["in Chinese", { width: 300, lang: "zh-CN" }],
		["from right to left", { width: 300, dir: "rtl" }],
	])(
		"fits %s",
		async (how, look) => {
			const wrong: string[] = [];
			for (const name of Object.keys(scenes)) {
				const page = await show(stage, scenes[name]!.events, look, scenes[name]!.answers);
				await scenes[name]!.after?.(spoken(page, look.lang ?? "en"));
				await settled(page);
				if (shots) await page.screenshot({ path: join(shots, `${name}-${how.replaceAll(" ", "-")}.png`) });
				wrong.push(...(await misfits(page)).map((misfit) => `${name}: ${misfit}`));
				await page.context().close();
			}
			expect(wrong).toEqual([]);
		},
		120_000,
	);

	it.each(["thousand-steps", "thousand-planned"])(
		"draws only what is in sight of %s",
		async (name) => {
			const page = await show(stage, scenes[name]!.events, {}, scenes[name]!.answers);
			await scenes[name]!.after?.(page);
			await settled(page);
			expect(await page.locator(".ea-panel [data-index]").count()).toBeLessThan(60);
			expect(await page.locator(".ea-panel *").count()).toBeLessThan(900);
			await page.context().close();
		},
		60_000,
	);
});
