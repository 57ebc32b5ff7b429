// The host's network in Chromium: what is sent, where a key goes, and how an answer comes.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHost, type HostPage } from "./host-page";
import { startServer, type NetworkServer } from "./network-server";

let host: HostPage;
const call: HostPage["call"] = (...args) => host.call(...args);
let server: NetworkServer;

beforeAll(async () => {
	[host, server] = await Promise.all([openHost(), startServer()]);
});
afterAll(async () => {
	server?.close();
	await host?.close();
});

const setSecret = (name: string, value: string) =>
	host.playground.page.evaluate(
		([name, value]) =>
			(
				window as unknown as { app: { secretStorage: { setSecret(id: string, v: string): void } } }
			).app.secretStorage.setSecret(name, value),
		[name, value] as const,
	);

describe("the network", () => {
	const open = (path: string, more = {}, abort = 0) =>
		call(
			"http.open",
			{
				method: "GET",
				url: server.address + path,
				headers: {},
				body: "",
				buffered: false,
				redact: false,
				...more,
			},
			[],
			abort,
		);

	test("streams by fetch and by the buffered client, with secrets in headers alone", async () => {
		await host.playground.page.evaluate(() =>
			(
				window as unknown as { app: { secretStorage: { setSecret(id: string, v: string): void } } }
			).app.secretStorage.setSecret("k", "s3cret"),
		);
		expect((await call("secret.has", { name: "k" })).result).toEqual({ has: true, hosts: [], redirects: [] });
		expect((await call("secret.has", { name: "none" })).result).toMatchObject({ has: false });
		await call("secret.allow", { name: "k", host: server.address, redirects: true });
		expect((await call("secret.has", { name: "k" })).result).toEqual({
			has: true,
			hosts: [server.address],
			redirects: [server.address],
		});
		for (const buffered of [false, true]) {
			const { handle, status } = (await open("/", { headers: { "x-key": "Bearer {{secret:k}}" }, buffered }))
				.result as {
				handle: number;
				status: number;
			};
			expect(status).toBe(200);
			const { bytes } = await call("http.read", { handle });
			expect(JSON.parse(Buffer.from(bytes?.[0] ?? []).toString())).toEqual({
				key: "Bearer s3cret",
				method: "GET",
			});
			expect((await call("http.read", { handle })).result).toEqual({ blob: -1, done: true });
			expect((await call("http.read", { handle })).problem?.code).toBe("NETWORK_ERROR");
		}
	});

	test("a refusal that repeats the key comes without it", async () => {
		for (const buffered of [false, true]) {
			const asked = await open("/refused", { headers: { "x-key": "Bearer {{secret:k}}" }, buffered });
			const { handle, status } = asked.result as { handle: number; status: number };
			expect(status).toBe(401);
			const { bytes } = await call("http.read", { handle });
			expect(Buffer.from(bytes?.[0] ?? []).toString()).toBe("the key Bearer [redacted] is wrong");
		}
	});

	test("an answer that repeats a secret comes without it where the core asks for that", async () => {
		for (const buffered of [false, true]) {
			const headers = { "x-key": "Bearer {{secret:k}}" };
			const asked = await open("/echo", { headers, buffered, redact: true });
			const { handle, headers: sent } = asked.result as { handle: number; headers: Record<string, string> };
			expect(sent["etag"]).toBe('"Bearer [redacted]"');
			let text = "";
			for (;;) {
				const { bytes, result } = await call("http.read", { handle });
				if ((result as { done: boolean }).done) break;
				text += Buffer.from(bytes?.[0] ?? []).toString();
			}
			expect(text).toMatch(
				/^Bearer \[redacted\] Bearer \[redacted\] Bearer%20\[redacted\] \S*\[redacted\]A==$/,
			);
			expect(
				Buffer.from((text.split(" ").at(-1) ?? "").replace("[redacted]", ""), "base64").toString(),
			).not.toContain("3");
		}
	});

	test("a key that is no ordinary word is taken out of every answer, in whatever pieces it comes", async () => {
		await setSecret("long", "long-key-0123456789");
		await call("secret.allow", { name: "long", host: server.address, redirects: true });
		for (const buffered of [false, true]) {
			const asked = await open("/echo", { headers: { "x-key": "{{secret:long}}" }, buffered });
			const { handle, status, headers } = asked.result as {
				handle: number;
				status: number;
				headers: Record<string, string>;
			};
			expect(status).toBe(200);
			expect(JSON.stringify(headers)).not.toContain("long-key");
			let text = "";
			for (;;) {
				const { bytes, result } = await call("http.read", { handle });
				if ((result as { done: boolean }).done) break;
				text += Buffer.from(bytes?.[0] ?? []).toString();
			}
			expect(text).toContain("[redacted]");
			expect(text).not.toContain("long-key");
			expect(Buffer.from(text.split(" ").at(-1) ?? "", "base64").toString()).not.toContain("0123456789");
		}
	});

	describe("a key leaves for where the person said, and for nowhere else", () => {
		const other = () => server.address.replace("127.0.0.1", "localhost");
		const cases: {
			name: string;
			allow: () => { host: string; redirects: boolean }[];
			url: () => string;
			buffered?: boolean;
			secret?: string;
			sends: string | true;
		}[] = [
			{ name: "nothing was allowed", allow: () => [], url: () => server.address, sends: "error.secret.host" },
			{
				name: "it was allowed",
				allow: () => [{ host: server.address, redirects: false }],
				url: () => server.address,
				sends: true,
			},
			{
				name: "another name of the same machine",
				allow: () => [{ host: server.address, redirects: true }],
				url: other,
				sends: "error.secret.host",
			},
			{
				name: "another port",
				allow: () => [{ host: server.address.replace(/:\d+$/, ":1"), redirects: true }],
				url: () => server.address,
				sends: "error.secret.host",
			},
			{
				name: "without encryption where it was allowed with it",
				allow: () => [{ host: server.address.replace("http:", "https:"), redirects: true }],
				url: () => server.address,
				sends: "error.secret.host",
			},
			{
				name: "an address that names a person before the host",
				allow: () => [{ host: server.address, redirects: true }],
				url: () => server.address.replace("//", "//me@"),
				sends: "error.secret.host",
			},
			{
				name: "by the app's own client",
				allow: () => [{ host: server.address, redirects: false }],
				url: () => server.address,
				buffered: true,
				sends: "error.secret.redirects",
			},
			{
				name: "by the app's own client, which was allowed",
				allow: () => [{ host: server.address, redirects: true }],
				url: () => server.address,
				buffered: true,
				sends: true,
			},
			{
				name: "a later yes to less takes nothing back",
				allow: () => [
					{ host: server.address, redirects: true },
					{ host: server.address, redirects: false },
				],
				url: () => server.address,
				buffered: true,
				sends: true,
			},
			{
				name: "what is no origin is not kept",
				allow: () => [{ host: `${server.address}/path`, redirects: true }],
				url: () => server.address,
				sends: "error.secret.host",
			},
			{
				name: "a yes to another key",
				allow: () => [{ host: server.address, redirects: true }],
				url: () => server.address,
				secret: "k-other",
				sends: "error.secret.host",
			},
		];
		let n = 0;
		test.each(cases)("$name", async ({ allow, url, buffered = false, secret, sends }) => {
			const name = `bound-${++n}`;
			await setSecret(name, "bound-key-0123456789");
			await setSecret("k-other", "other-key-0123456789");
			for (const yes of allow()) await call("secret.allow", { name, ...yes });
			const before = server.keysSeen.length;
			const asked = await call("http.open", {
				method: "GET",
				url: `${url()}/`,
				headers: { "x-key": `Bearer {{secret:${secret ?? name}}}` },
				body: "",
				buffered,
				redact: false,
			});
			if (sends === true) expect(asked.problem).toBeUndefined();
			else expect(asked.problem).toMatchObject({ code: "AUTH_REQUIRED", key: sends });
			expect(server.keysSeen.slice(before)).toEqual(sends === true ? ["Bearer bound-key-0123456789"] : []);
		});

		test("a redirect is not followed, so that a key reaches nobody else", async () => {
			await setSecret("moving", "moving-key-0123456789");
			await call("secret.allow", { name: "moving", host: server.address, redirects: false });
			const before = server.keysSeen.length;
			const asked = await open("/moved", { headers: { "x-key": "{{secret:moving}}" } });
			expect(asked.problem).toMatchObject({ key: "error.http.redirect" });
			expect(server.keysSeen.slice(before).filter((key) => key.includes("moving"))).toHaveLength(1);
		});

		test("what was kept and is damaged allows nothing", async () => {
			for (const kept of ["x", 1, [], { "bound-x": "yes" }, { "bound-x": [1] }]) {
				await setSecret("bound-x", "bound-key-0123456789");
				await host.playground.page.evaluate(
					(kept) =>
						(
							window as unknown as { app: { saveLocalStorage(key: string, v: unknown): void } }
						).app.saveLocalStorage("embedded-agent-key-hosts", kept),
					kept,
				);
				const asked = await open("/", { headers: { "x-key": "{{secret:bound-x}}" } });
				expect(asked.problem).toMatchObject({ key: "error.secret.host" });
			}
			for (const name of ["k", "long"])
				await call("secret.allow", { name, host: server.address, redirects: true });
		});
	});

	test("a print of a key says nothing of ordinary words, and finds the key", async () => {
		for (const [value, length] of [
			["ollama", 0],
			["sesame", 0],
			["own-key-0123456789", 18],
		] as const) {
			await setSecret("printed", value);
			const { result } = await call("secret.print", { name: "printed" });
			const print = result as { length: number; bases: number[]; hashes: number[] };
			expect(print.length).toBe(length);
			if (length === 0) continue;
			const hashes = print.bases.map((base) =>
				Number(
					[...value].reduce((h, c) => (h * BigInt(base) + BigInt(c.charCodeAt(0)) + 1n) % 2147483647n, 0n),
				),
			);
			expect(print.hashes).toEqual(hashes);
		}
	});

	test("a refusal is read as any answer, and need not end", async () => {
		const asked = await open("/refused-endlessly", { headers: { "x-key": "{{secret:k}}" } });
		const { handle, status } = asked.result as { handle: number; status: number };
		expect(status).toBe(403);
		expect(Buffer.from((await call("http.read", { handle })).bytes?.[0] ?? []).toString()).toBe("no");
		await call("http.close", { handle });
	});

	test("a missing secret, a redirect, an unreachable host and a broken stream are told apart", async () => {
		expect((await open("/", { headers: { a: "{{secret:none}}" } })).problem).toMatchObject({
			code: "AUTH_REQUIRED",
		});
		expect((await open("/moved")).problem).toMatchObject({ key: "error.http.redirect" });
		expect(
			(
				await call("http.open", {
					method: "GET",
					url: "http://127.0.0.1:9/",
					headers: {},
					body: "",
					buffered: false,
				})
			).problem,
		).toMatchObject({
			code: "NETWORK_ERROR",
			key: "error.http.unreachable",
		});
		const { handle } = (await open("/cut")).result as { handle: number };
		let last = await call("http.read", { handle });
		while (!last.problem) last = await call("http.read", { handle });
		expect(last.problem).toMatchObject({ code: "NETWORK_ERROR", key: "error.http.broken" });
	});

	test("a cancelled read and a closed answer end at once", async () => {
		const { handle } = (await open("/endless")).result as { handle: number };
		await call("http.read", { handle });
		expect((await call("http.read", { handle }, [], 50)).problem).toMatchObject({ code: "CANCELLED" });
		await call("http.close", { handle });
		expect((await call("http.read", { handle })).problem).toMatchObject({ key: "error.http.closed" });
	});

	test("an answer that inflates without end comes piece by piece, and ends when it is closed", async () => {
		const { handle } = (await open("/bomb")).result as { handle: number };
		let bytes = 0;
		while (bytes < 1 << 17) {
			const { bytes: blobs, problem } = await call("http.read", { handle });
			expect(problem).toBeUndefined();
			bytes += blobs?.[0]?.length ?? 0;
			expect(blobs?.[0]?.length).toBeLessThan(8 << 20);
		}
		await call("http.close", { handle });
		await expect.poll(() => server.gone, { timeout: 20_000 }).toContain("/bomb");
	});

	test("no cookie is kept or sent", async () => {
		for (let i = 0; i < 2; i++) {
			const { handle } = (await open("/cookie")).result as { handle: number };
			const { bytes } = await call("http.read", { handle });
			expect(Buffer.from(bytes?.[0] ?? []).toString()).toBe("cookie: none");
		}
	});
});

test("the page had no uncaught error", () => {
	expect(host.errors()).toEqual([]);
});
