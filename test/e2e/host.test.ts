import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dist } from "../playground/build.mjs";
import { startServer } from "../playground/server/server";
import {
	launchChromium,
	repository,
	runPlayground,
	type Playground,
	type PlaygroundOptions,
} from "./harness";

const vault = join(repository, "test/e2e/harness/fixture-vault");
const plugin = join(repository, "test/e2e/harness/fixture-plugin");
let browser: Browser;

beforeAll(async () => {
	browser = await launchChromium();
});
afterAll(() => browser.close());

/** Runs with a playground of its own. */
function withPlayground(
	options: Partial<PlaygroundOptions>,
	work: (playground: Playground) => Promise<void>,
): Promise<void> {
	return runPlayground({ vault, plugin: null, browser, ...options }, work);
}

describe("the folder", () => {
	test("edits from outside are seen: new, changed, moved and removed files and folders", async () => {
		await withPlayground({}, async ({ page, vaultDir }) => {
			const paths = () =>
				page.evaluate(() =>
					window.app.vault
						.getAllLoadedFiles()
						.map((file) => file.path)
						.sort(),
				);
			mkdirSync(join(vaultDir, "new/deep"), { recursive: true });
			writeFileSync(join(vaultDir, "new/deep/a.md"), "# A\n");
			await expect
				.poll(paths)
				.toEqual([
					"/",
					"Folder",
					"Folder/Inner.md",
					"Home.md",
					"Note.md",
					"new",
					"new/deep",
					"new/deep/a.md",
				]);
			writeFileSync(join(vaultDir, "new/deep/a.md"), "# Changed\n");
			const heading = () =>
				page.evaluate(() => window.app.metadataCache.getCache("new/deep/a.md")?.headings?.[0]?.heading);
			await expect.poll(heading).toBe("Changed");
			const { renameSync } = await import("node:fs");
			renameSync(join(vaultDir, "new"), join(vaultDir, "moved"));
			await expect.poll(paths).toContain("moved/deep/a.md");
			rmSync(join(vaultDir, "moved"), { recursive: true });
			await expect.poll(paths).toEqual(["/", "Folder", "Folder/Inner.md", "Home.md", "Note.md"]);
		});
	});

	test("what the page writes is not reported back to it", async () => {
		await withPlayground({}, async (playground) => {
			const events = await playground.page.evaluate(async () => {
				const heard: string[] = [];
				const { vault } = window.app;
				for (const name of ["create", "modify", "delete", "rename", "raw"])
					vault.on(name, (entry: { path?: string } | string) =>
						heard.push(`${name} ${typeof entry === "string" ? entry : entry.path}`),
					);
				const file = await vault.create("mine.md", "1");
				for (let n = 2; n < 20; n++) await vault.modify(file, String(n));
				await vault.rename(file, "yours.md");
				await vault.createFolder("f");
				await vault.rename(file, "f/yours.md");
				return heard
					.filter((line) => !line.startsWith("modify"))
					.concat(String(heard.filter((line) => line.startsWith("modify")).length));
			});
			expect(events).toEqual(["create mine.md", "rename yours.md", "create f", "rename f/yours.md", "18"]);
			// Whatever echo there was has been reported once a real edit from outside is seen.
			writeFileSync(join(playground.vaultDir, "outside.md"), "x");
			await playground.page.waitForFunction(() => window.app.vault.getFileByPath("outside.md") !== null);
			expect(await playground.page.evaluate(() => window.app.vault.getFiles().length)).toBe(5);
		});
	});

	test("paths that would leave the vault are refused", async () => {
		await withPlayground({}, async ({ page, vaultDir }) => {
			const outcomes = await page.evaluate(async () => {
				const { adapter } = window.app.vault;
				const attempts = [
					() => adapter.write("../out.md", "x"),
					() => adapter.read("../../etc/passwd"),
					() => adapter.mkdir("a/../../b"),
					() => adapter.rmdir("", true),
				];
				return Promise.all(
					attempts.map((attempt) =>
						attempt().then(
							() => "done",
							(error: { code?: string }) => error.code,
						),
					),
				);
			});
			expect(outcomes).toEqual(["EACCES", "EACCES", "EACCES", "EPERM"]);
			expect(existsSync(join(vaultDir, "../out.md"))).toBe(false);
		});
	});

	test("another site cannot connect: the socket asks for the page's token and a known host", async () => {
		await withPlayground({}, async ({ url }) => {
			const { WebSocket } = await import("ws");
			const refused = (address: string, headers: Record<string, string>): Promise<boolean> =>
				new Promise((resolve) => {
					const socket = new WebSocket(address, { headers });
					socket.once("open", () => resolve(false));
					socket.once("error", () => resolve(true));
				});
			const address = `${url.replace("http", "ws")}ws`;
			expect(await refused(address, {})).toBe(true);
			const token = /playground-token" content="([^"]+)"/.exec(await (await fetch(url)).text())?.[1];
			expect(await refused(`${address}?token=${token}`, { host: "evil.example" })).toBe(true);
			expect(await refused(`${address}?token=${token}`, {})).toBe(false);
		});
	});

	test("the system's bin is the vault's own", async () => {
		await withPlayground({}, async (playground) => {
			await playground.page.evaluate(async () => {
				const file = window.app.vault.getFileByPath("Note.md");
				if (file) await window.app.fileManager.trashFile(file);
			});
			expect(readdirSync(join(playground.vaultDir, ".trash"))).toEqual(["Note.md"]);
		});
	});

	test("links in circles and to nowhere do not keep the vault from opening", async () => {
		await withPlayground({}, async (playground) => {
			symlinkSync("circle.md", join(playground.vaultDir, "circle.md"));
			symlinkSync("nowhere", join(playground.vaultDir, "nowhere.md"));
			await playground.restart();
			expect(await playground.page.evaluate(() => window.app.vault.getFiles().length)).toBe(3);
		});
	});
});

describe("profiles", () => {
	test("Windows refuses device names and names that end with a dot or a space", async () => {
		await withPlayground({ profile: "win" }, async ({ page }) => {
			const outcomes = await page.evaluate(() =>
				Promise.all(
					["CON.md", "nul", "com1.txt", "a.", "b ", "concept.md"].map((name) =>
						window.app.vault.create(name, "").then(
							(file) => file.path,
							(error: { code?: string }) => error.code,
						),
					),
				),
			);
			expect(outcomes).toEqual(["EINVAL", "EINVAL", "EINVAL", "EINVAL", "EINVAL", "concept.md"]);
		});
	});

	test("a name that the disk holds decomposed is known, read and written by its composed form", async () => {
		await withPlayground({ profile: "mac" }, async (playground) => {
			const decomposed = join(playground.vaultDir, "e\u0301tude.md");
			writeFileSync(decomposed, "before");
			const read = () =>
				playground.page.evaluate(async () => {
					const file = window.app.vault.getFileByPath("\u00e9tude.md");
					return file && window.app.vault.read(file);
				});
			await expect.poll(read).toBe("before");
			await playground.page.evaluate(() => window.app.vault.adapter.write("\u00e9tude.md", "after"));
			expect(readFileSync(decomposed, "utf8")).toBe("after");
			expect(
				readdirSync(playground.vaultDir).filter((name) => name.normalize("NFC") === "\u00e9tude.md"),
			).toHaveLength(1);
		});
	});

	test("the platform's flags and paths are those of the system", async () => {
		const seen: Record<string, unknown> = {};
		for (const profile of ["win", "ios"] as const) {
			await withPlayground({ profile }, async ({ page }) => {
				seen[profile] = await page.evaluate(() => {
					const { Platform } = window.__playground?.obsidian ?? {};
					return [
						Platform?.isWin,
						Platform?.isIosApp,
						Platform?.isMobile,
						Platform?.isPhone,
						window.app.vault.adapter.getFullPath("a/b.md"),
					];
				});
			});
		}
		expect(seen).toEqual({
			win: [true, false, false, false, "C:\\Users\\user\\vault\\a\\b.md"],
			ios: [false, true, true, true, "/private/var/mobile/Documents/vault/a/b.md"],
		});
	});

	test("on a phone the sidebars are drawers that lie over the note, one at a time", async () => {
		await withPlayground({ profile: "android", plugin }, async ({ page }) => {
			expect(page.viewportSize()).toEqual({ width: 412, height: 892 });
			await page.getByRole("button", { name: "Open left drawer" }).click();
			await page.getByRole("tree", { name: "Files" }).waitFor();
			await page.evaluate(() => window.app.commands.executeCommandById("fixture:open"));
			await page.getByRole("heading", { name: "Fixture view" }).waitFor();
			expect(await page.getByRole("tree", { name: "Files" }).isVisible()).toBe(false);
		});
	});
});

describe("the network", () => {
	test("requests to other hosts carry the app's origin, and only what allows it can be read", async () => {
		const origins: unknown[] = [];
		const server = createServer((request, response) => {
			origins.push(request.headers.origin);
			const allowed =
				request.url === "/allowed" ? { "access-control-allow-origin": "app://obsidian.md" } : {};
			response.writeHead(200, { "content-type": "text/event-stream", ...allowed });
			response.write("first");
			// The rest comes only when the first piece was read: what is buffered would never end.
			server.once("go on", () => response.end(" second"));
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		try {
			await withPlayground({ appOrigin: true }, async ({ page }) => {
				await page.exposeFunction("goOn", () => void server.emit("go on"));
				const text = await page.evaluate(async (url) => {
					const reader = (await fetch(`${url}/allowed`)).body?.getReader();
					const pieces: string[] = [];
					for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
						pieces.push(new TextDecoder().decode(piece.value));
						await (window as unknown as { goOn(): Promise<void> }).goOn();
					}
					return pieces;
				}, address);
				expect(text).toEqual(["first", " second"]);
				const refused = await page.evaluate(
					(url) =>
						fetch(`${url}/other`).then(
							() => "read",
							() => "refused",
						),
					address,
				);
				expect(refused).toBe("refused");
			});
			expect(origins).toEqual(["app://obsidian.md", "app://obsidian.md"]);
		} finally {
			server.closeAllConnections();
			server.close();
		}
	});

	test("the control endpoint sets faults and tells the counters, to who has its token", async () => {
		const vaultDir = mkdtempSync(join(tmpdir(), "control-"));
		const server = await startServer({ vaultDir, dist, controlToken: "secret" });
		try {
			const order = (token: string, body: unknown): Promise<Response> =>
				fetch(`${server.url}control`, {
					method: "POST",
					headers: { authorization: `Bearer ${token}` },
					body: JSON.stringify(body),
				});
			expect((await order("wrong", { kill: true })).status).toBe(403);
			const answer = await order("secret", { faults: { latencyMs: 5 }, resetCounters: true });
			expect(await answer.json()).toEqual({ mutations: 0 });
			expect(server.faults.latencyOf({ id: 1, op: "read", path: "A.md" })).toBe(5);
		} finally {
			await server.close();
			rmSync(vaultDir, { recursive: true });
		}
	});
});
