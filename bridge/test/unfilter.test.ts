import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filter } from "../../scripts/build/filter.mjs";
import { dropLines } from "../../scripts/build/lines.mjs";
import { mergeData } from "../../scripts/build/segments.mjs";
import { buildWasm, root } from "../../scripts/build/wasm.mjs";
import { unfilter } from "../unfilter";

const CALL = [0x41, 8, 0x6b, 0x22, 1, 0x24, 0, 0x20, 1, 0x42];

/** Numbers below a bound that look random and are the same each time. */
function numbers(seed: number): (bound: number) => number {
	let state = seed + 1;
	return (bound) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

const leb = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...leb(Math.floor(n / 128))]);

/** Code of calls, whole and cut short, with places of every length, and of the bytes that calls are made of. */
function codeOf(below: (bound: number) => number): number[] {
	const code: number[] = [];
	for (let n = below(40); n > 0; n--) {
		const kind = below(4);
		if (kind === 0) code.push(...CALL.slice(0, below(CALL.length + 1)));
		else if (kind === 1) code.push(below(256));
		else code.push(...CALL, ...leb(below(2 ** (1 + below(35)))));
	}
	return code;
}

/** Data with a table of functions, whose records have tables that are there and tables that are not. */
function dataOf(below: (bound: number) => number): number[] {
	const any = () =>
		[0, 1, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, below(2 ** 32), 7][below(8)] as number;
	const functions = below(6);
	const records = Array.from({ length: functions }, () => {
		const [pcdata, funcdata] = [below(6), below(9)];
		const record = Buffer.alloc(44 + 4 * (pcdata + funcdata));
		for (let at = 0; at < record.length; at += 4) record.writeUInt32LE(any(), at);
		record.writeUInt32LE(pcdata, 28);
		record[43] = funcdata;
		return record;
	});
	const head = Buffer.alloc(72 + 8 * functions);
	head.set([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]);
	head.writeBigUInt64LE(BigInt(functions), 8);
	head.writeBigUInt64LE(72n, 64);
	let place = 8 * functions;
	records.forEach((record, i) => {
		head.writeUInt32LE(any(), 72 + 8 * i);
		head.writeUInt32LE(place, 72 + 8 * i + 4);
		place += record.length;
	});
	return [...Array.from({ length: below(9) }, () => below(256)), ...Buffer.concat([head, ...records])];
}

it("gives back any module that was filtered, to the byte", () => {
	let changed = 0;
	for (let seed = 0; seed < 3000; seed++) {
		const below = numbers(seed);
		const section = (id: number, body: number[]) => [id, ...leb(body.length), ...body];
		const module = Buffer.from([
			...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
			...section(1, codeOf(below)), // of no other section is anything changed
			...section(10, codeOf(below)),
			...section(11, below(4) === 0 ? codeOf(below) : dataOf(below)),
		]);
		const filtered = filter(Buffer.from(module));
		if (!filtered.equals(module)) changed++;
		unfilter(filtered);
		expect(filtered.equals(module), `seed ${seed}`).toBe(true);
	}
	expect(changed).toBeGreaterThan(2000);
});

it("gives back a program of Go", () => {
	const built = readFileSync(buildWasm("./bridge/test/testdata/crash", join(root, "build", "filtered.wasm")));
	const module = dropLines(mergeData(built));
	const filtered = filter(Buffer.from(module));
	let differ = 0;
	for (let i = 0; i < module.length; i++) if (module[i] !== filtered[i]) differ++;
	expect(differ).toBeGreaterThan(10_000);
	unfilter(filtered);
	expect(filtered.equals(module)).toBe(true);
});
