import { beforeAll, expect, it, vi } from "vitest";
import { Client, type Host } from "../client";
import { applyAll } from "../host/apply-all";
import { unsettled } from "../outstanding";
import type { Send, Settings } from "../protocol.gen";
import { packedCore, nodeSource, nodeWorkerSource } from "./node";

let text: string;
let worker: string;
beforeAll(async () => {
	text = await packedCore("./wasm/internal/jsbridge/testcore", "testcore.wasm");
	worker = await nodeWorkerSource();
}, 240_000);

it("a write that the host has begun is waited for by the next core, also where the plugin was switched off and on", async () => {
	const landing: (() => void)[] = [];
	const landed: string[] = [];
	const apply: Host["vault.apply"] = async ({ path }) => {
		await new Promise<void>((resolve) => landing.push(resolve));
		landed.push(path);
		return { path, kind: "file", size: 0, ctime: 0, mtime: 0 };
	};
	const host = { "vault.apply": apply, "vault.applyAll": applyAll(apply) } as Host;
	const client = new Client({
		source: nodeSource(text, worker),
		host,
		hello: () => ({ platform: { name: "test" } as never, settings: {} as Settings }),
	});
	const order = { text: "create", path: "f", count: 3 } as unknown as Send;
	client.request("send", order).catch(() => undefined); // it dies with the core
	await vi.waitFor(() => expect(landing).toHaveLength(3), { timeout: 60_000 });
	client.dispose();

	let quiet = false;
	const waiting = unsettled().then(() => (quiet = true));
	for (const land of landing.splice(0)) {
		await Promise.resolve();
		expect(quiet).toBe(false);
		land();
	}
	await waiting;
	expect(landed).toHaveLength(3);
	await unsettled(); // nothing is under way: at once
});
