import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decodeFrame, encodeFrame } from "../shared/frames";
import { profiles } from "../shared/profiles";
import { Disk } from "./disk";
import { toWireError } from "./errors";
import { Faults } from "./faults";
import { realPath, segments } from "./names";
import { SerialQueue } from "./queue";

let root: string;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "disk-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("frames", () => {
	test("what is put together comes apart again", () => {
		const body = new Uint8Array([0, 255, 10]);
		const decoded = decodeFrame(encodeFrame({ id: 1, path: "ü\n" }, body));
		expect(decoded.header).toEqual({ id: 1, path: "ü\n" });
		expect([...decoded.body]).toEqual([...body]);
	});

	test.each([[new Uint8Array(3)], [new Uint8Array([9, 0, 0, 0, 1])], [new Uint8Array([1, 0, 0, 0, 123])]])(
		"%j is refused",
		(frame) => {
			expect(() => decodeFrame(frame)).toThrow();
		},
	);
});

describe("names", () => {
	test.each([["../a"], ["a/../b"], ["a//b"], ["./a"], ["a\0b"], ["/etc"]])(
		"%j is no path in the vault",
		(path) => {
			expect(() => segments(path)).toThrow("EACCES");
		},
	);

	test("a disk that folds case finds the entry; one that does not takes the path as it is", async () => {
		mkdirSync(join(root, "Folder"));
		writeFileSync(join(root, "Folder/Note.md"), "x");
		expect(realPath(root, profiles.win, "folder/NOTE.md")).toBe(join(root, "Folder/Note.md"));
		expect(realPath(root, profiles.linux, "folder/NOTE.md")).toBe(join(root, "folder/NOTE.md"));
		expect(realPath(root, profiles.win, "folder/new.md")).toBe(join(root, "Folder/new.md"));
	});
});

describe("the disk", () => {
	test("an error names the path as the profile's app would, never the real one", async () => {
		const error: unknown = await new Disk(root, profiles.win)
			.read("a/b.md")
			.catch((reason: unknown) => reason);
		expect(toWireError(error, profiles.win, "read", "a/b.md")).toEqual({
			code: "ENOENT",
			message: "ENOENT: no such file or directory, open 'C:\\Users\\user\\vault\\a\\b.md'",
		});
	});

	test("the bin keeps files of one name apart, and the root cannot go there", async () => {
		const disk = new Disk(root, profiles.linux);
		for (const text of ["1", "2", "3"]) {
			await disk.write("a.md", Buffer.from(text), {});
			await disk.trash("a.md");
		}
		expect((await disk.list(".trash")).files).toEqual([".trash/a 2.md", ".trash/a 3.md", ".trash/a.md"]);
		await expect(disk.trash("")).rejects.toThrow("EPERM");
		await expect(disk.rmdir("/", true)).rejects.toThrow("EPERM");
	});

	test("a torn write leaves exactly the first bytes, a torn append adds them", async () => {
		const disk = new Disk(root, profiles.linux);
		await disk.write("a", Buffer.from("before"), {});
		await disk.tear("append", "a", Buffer.from("12345"), 2);
		expect(Buffer.from(await disk.read("a")).toString()).toBe("before12");
		await disk.tear("write", "a", Buffer.from("after"), 3);
		expect(Buffer.from(await disk.read("a")).toString()).toBe("aft");
	});
});

describe("faults", () => {
	const call = (op: string, path = "a", app = false) => ({ id: 1, op, path, app });

	test("the nth call counts from when the fault was set, by kind and by path", () => {
		const faults = new Faults();
		faults.judge(call("write"));
		faults.set({ fail: [{ op: "write", nth: 2, path: "x/", code: "EIO" }] });
		expect(["x/1", "a", "x/2", "x/3"].map((path) => faults.judge(call("write", path)).kind)).toEqual([
			"go",
			"go",
			"fail",
			"go",
		]);
	});

	test("the app's own calls are neither counted nor failed", () => {
		const faults = new Faults();
		faults.set({ fail: [{ op: "mutation", code: "EACCES" }], freezeAt: 1 });
		expect(faults.judge(call("write", "a", true)).kind).toBe("go");
		expect(faults.counters()).toEqual({ mutations: 0 });
	});

	test("a freeze counts the changes below its path alone", () => {
		const faults = new Faults();
		faults.set({ freezeAt: 2, freezePath: "Notes/" });
		expect(
			["Other/a", "Notes/a", "Other/b", "Notes/b"].map((path) => faults.judge(call("write", path)).kind),
		).toEqual(["go", "go", "go", "silent"]);
	});

	test("a kill silences the connections that are open and no later one", () => {
		const faults = new Faults();
		const before = faults.generation;
		faults.kill();
		expect([faults.isDead(before), faults.isDead(faults.generation)]).toEqual([true, false]);
	});
});

test("the queue runs one after the other, and a failure does not stop it", async () => {
	const queue = new SerialQueue();
	const order: string[] = [];
	const step =
		(name: string, fails = false) =>
		async (): Promise<void> => {
			order.push(`${name} starts`);
			await Promise.resolve();
			order.push(`${name} ends`);
			if (fails) throw new Error(name);
		};
	const outcomes = await Promise.allSettled([
		queue.run(step("a")),
		queue.run(step("b", true)),
		queue.run(step("c")),
	]);
	expect(order).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
	expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});
