import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../scripts/build/wasm.mjs";
import { Followed } from "./follow.mjs";
import { FolderVault, hostOf, importClient } from "./nodehost.mjs";

it("the benchmarks' host has every method that the core may call", () => {
	const contract = readFileSync(join(root, "bridge/protocol.gen.ts"), "utf8");
	const methods = /interface HostMethods \{([^}]*)\}/.exec(contract)?.[1]?.match(/'[^']+'/g) ?? [];
	expect(methods.length).toBeGreaterThan(20);
	const bridge = { fail: () => new Error(), applyAll: () => () => undefined };
	// A script has a worker of its own, by the bridge's own methods.
	const has = [...Object.keys(hostOf(new FolderVault("."), bridge, new Followed("."))), "sandbox.run"];
	expect(has.sort()).toEqual(methods.map((name) => name.slice(1, -1)).sort());
});

it("the benchmarks find what they take of the bridge and of the host", async () => {
	const found = await importClient("");
	expect(Object.keys(found)).toEqual(expect.arrayContaining(["Client", "SandboxHost", "applyAll", "fail"]));
});
