import { expect, test } from "vitest";
import { fail } from "../problem";
import type { Op } from "../protocol.gen";
import { applyAll } from "./apply-all";

const call = { signal: new AbortController().signal, blobs: [] };
const create = (path: string): Op => ({ kind: "create", path, data: { text: "", blob: -1 } });

test("each write goes its own way: one that fails stops no other, and results keep the order", async () => {
	const begun: string[] = [];
	const all = applyAll(async (op) => {
		begun.push(op.path);
		await Promise.resolve();
		if (op.path === "b.md") throw fail("CONFLICT", "error.vault.exists", { path: op.path });
		return { path: op.path, kind: "file", size: 0, ctime: 1, mtime: 1 };
	});
	const { results } = await all({ ops: ["a.md", "b.md", "c.md"].map(create) }, call);
	expect(begun).toEqual(["a.md", "b.md", "c.md"]);
	expect(results.map((r) => r.info?.path ?? r.problem?.code)).toEqual(["a.md", "CONFLICT", "c.md"]);
});

test("a write that is refused before it begins is a result too", async () => {
	const all = applyAll(() => {
		throw fail("VALIDATION_ERROR", "error.path.empty");
	});
	const { results } = await all({ ops: [create("")] }, call);
	expect(results[0]?.problem?.code).toBe("VALIDATION_ERROR");
});
