import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { behaviours } from "../playground/behaviours";
import { buildContractPlugin, dist } from "../playground/build.mjs";
import type { Outcome } from "../playground/contract/host";
import type { Saved } from "../playground/contract/plugin";
import type { ProfileName } from "../playground/shared/profiles";
import { startHttpServer, type HttpServer } from "./harness/http-server";
import { launchChromium, repository, startPlayground } from "./harness";
import { declaredApi } from "./harness/typings";

const vault = join(repository, "test/e2e/harness/fixture-vault");
/** How many lines of the table nobody has read or seen in a real app. */
const mostGuesses = 3;
let http: HttpServer;
let browser: Awaited<ReturnType<typeof launchChromium>>;

beforeAll(async () => {
	http = await startHttpServer();
	browser = await launchChromium();
});
afterAll(async () => {
	await browser.close();
	await http.close();
});

async function contractOn(profile: ProfileName): Promise<{ outcomes: Outcome[]; errors: string[] }> {
	const playground = await startPlayground({ vault, plugin: null, profile, browser });
	try {
		await playground.page.addScriptTag({ path: join(dist, "contract.js") });
		const outcomes = await playground.page.evaluate(async (address) => {
			const { app, obsidian } = window.__playground as unknown as Parameters<
				NonNullable<typeof window.runContract>
			>[0];
			return (await window.runContract?.({ app, obsidian, http: address })) ?? [];
		}, http.url);
		// The refused fetch of the CORS case is on the console, as it is in the app.
		return { outcomes, errors: playground.errors.filter((error) => !/CORS|ERR_FAILED/.test(error)) };
	} finally {
		await playground.close();
	}
}

describe("the contract of the host", () => {
	for (const profile of ["linux", "mac", "win", "android", "ios"] as const) {
		test(`holds on ${profile}`, { timeout: 120_000 }, async () => {
			const { outcomes, errors } = await contractOn(profile);
			expect(outcomes.filter(({ status }) => status !== "passed")).toEqual([]);
			expect(errors).toEqual([]);
			const shown = new Set(outcomes.map(({ behaviour }) => behaviour));
			const promised = behaviours.filter(({ shownBy }) => shownBy === "contract");
			expect([...shown].sort()).toEqual(promised.map(({ id }) => id).sort());
		});
	}

	test("what the table says is in the app's typings is there", () => {
		const typings = readFileSync(join(repository, "node_modules/obsidian/obsidian.d.ts"), "utf8");
		const said = typings.replace(/\s*\n\s*\*\s*/g, " ").replace(/ {2,}/g, " ");
		const quoted = behaviours.filter(({ typings }) => typings !== undefined);
		expect(quoted.length).toBeGreaterThan(3);
		for (const { id, typings = "" } of quoted) expect(said, id).toContain(typings);
		for (const { id, standing, otherwise } of behaviours)
			expect(otherwise !== undefined, id).toBe(standing === "either");
		// Only down: what is found out is quoted, or shown by a real app.
		expect(behaviours.filter(({ standing }) => standing === "guess").length).toBeLessThanOrEqual(mostGuesses);
	});

	test("the guide says how many lines nobody knows", () => {
		const guide = readFileSync(join(repository, "docs/guide/README.md"), "utf8");
		const count = (standing: string) => behaviours.filter((one) => one.standing === standing).length;
		expect(guide).toContain(`${count("guess")} of the behaviours that it imitates are guesses`);
		expect(guide).toContain(`Of ${count("either")} more nobody knows`);
	});

	test("the table of behaviours names each once, and its tests exist", () => {
		expect(new Set(behaviours.map(({ id }) => id)).size).toBe(behaviours.length);
		for (const { shownBy } of behaviours)
			if (shownBy !== "contract") expect(existsSync(join(repository, shownBy)), shownBy).toBe(true);
	});
});

test("the contract is a plugin, which saves its outcome as one file", { timeout: 120_000 }, async () => {
	const folder = await mkdtemp(join(tmpdir(), "contract-"));
	const playground = await startPlayground({ vault, plugin: await buildContractPlugin(folder), browser });
	try {
		await playground.page.evaluate(() => window.app.commands.executeCommandById("host-contract:run"));
		const file = join(playground.vaultDir, "Contract outcome.json");
		await expect.poll(() => existsSync(file), { timeout: 90_000 }).toBe(true);
		const { app, platform, outcomes } = JSON.parse(readFileSync(file, "utf8")) as Saved;
		expect(app).toMatch(/^\d+\.\d+\.\d+$/);
		expect(platform).toContain("isDesktopApp");
		expect(outcomes.filter(({ status }) => status === "failed")).toEqual([]);
		expect(outcomes.filter(({ status }) => status === "passed").length).toBeGreaterThan(40);
		for (const { standing } of outcomes) expect(["sourced", "either", "unused", "guess"]).toContain(standing);
		expect(existsSync(join(playground.vaultDir, "Contract test"))).toBe(false);
	} finally {
		await playground.close();
		await rm(folder, { recursive: true, force: true });
	}
});

test("everything in the public typings exists or throws by name", async () => {
	const playground = await startPlayground({ vault, plugin: null, browser });
	try {
		const missing = await playground.page.evaluate((api) => {
			const module = window.__playground?.obsidian as unknown as Record<string, unknown>;
			const lacking: string[] = [];
			const read = (name: string): unknown => {
				try {
					return module[name];
				} catch (error) {
					if (!String(error).includes(`does not implement ${name}`)) throw error;
					return null;
				}
			};
			for (const name of api.values) if (read(name) === undefined) lacking.push(name);
			for (const { name, methods, statics } of api.classes) {
				const found = read(name) as { prototype: object } | null | undefined;
				if (found === null) continue;
				if (found === undefined) lacking.push(name);
				else {
					lacking.push(
						...methods.filter((method) => !(method in found.prototype)).map((method) => `${name}.${method}`),
					);
					lacking.push(
						...statics.filter((member) => !(member in found)).map((member) => `${name}.${member}`),
					);
				}
			}
			return lacking;
		}, declaredApi());
		expect(missing).toEqual([]);
	} finally {
		await playground.close();
	}
});
