// Puts back what the build has filtered out of the core (scripts/build/filter.mjs):
// there stands why, and what the bytes are.

import { sections } from "./sections";

const CALL = [0x41, 8, 0x6b, 0x22, 1, 0x24, 0, 0x20, 1, 0x42];
const PLACE = 5;
const MAGIC = [0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8];
const RARE = 0x80000000;
/** The sections that are looked through. */
const CODE = 10;
const DATA = 11;

/** Makes a filtered module, in place, the one that Go's linker wrote. */
export function unfilter(wasm: Uint8Array): void {
	for (const { id, body, end } of sections(wasm)) {
		if (id === CODE) unfilterCalls(wasm, body, end);
		if (id === DATA) unfilterRecords(wasm, body, end);
	}
}

/**
 * How far a search for CALL may go on for each byte that stands where its last one should (R. N. Horspool, "Practical
 * fast searching in strings", 1980).
 */
const SKIP = new Uint8Array(256).fill(CALL.length);
CALL.slice(0, -1).forEach((byte, i) => (SKIP[byte] = CALL.length - 1 - i));

function unfilterCalls(wasm: Uint8Array, from: number, to: number): void {
	const view = new DataView(wasm.buffer, wasm.byteOffset, to);
	let fn = 0;
	let place = 0;
	let end = from + CALL.length - 1;
	while (end + PLACE < to) {
		// Before its last byte stand the other nine, read as numbers: this runs 3 million times at each start.
		if (
			wasm[end] !== 0x42 ||
			view.getUint32(end - 4) !== 0x24002001 ||
			view.getUint32(end - 8) !== 0x086b2201 ||
			wasm[end - 9] !== 0x41
		) {
			end += SKIP[wasm[end] as number] as number;
			continue;
		}
		const at = end + 1;
		end += CALL.length;
		const first = view.getUint32(at, true);
		const last = wasm[at + 4] as number;
		if ((first & 0x80808080) >>> 0 !== 0x80808080 || last > 127) continue;
		const low =
			(first & 127) | ((first >>> 1) & 0x3f80) | ((first >>> 2) & 0x1fc000) | ((first >>> 3) & 0xfe00000);
		const forward = (low >>> 16) | (last << 12);
		fn = (fn + forward) & 0x7ffff;
		place = forward === 0 ? (place + low) & 0xffff : low & 0xffff;
		const whole = ((fn & 0xfff) << 16) | place;
		const bytes =
			(whole & 127) | ((whole << 1) & 0x7f00) | ((whole << 2) & 0x7f0000) | ((whole << 3) & 0x7f000000);
		view.setUint32(at, (bytes | 0x80808080) >>> 0, true);
		wasm[at + 4] = fn >>> 12;
		end += PLACE;
	}
}

function unfilterRecords(wasm: Uint8Array, from: number, to: number): void {
	const start = indexOf(wasm, MAGIC, from, to);
	if (start < 0) return;
	const view = new DataView(wasm.buffer, wasm.byteOffset, to);
	const functions = Number(view.getBigUint64(start + 8, true));
	const table = start + Number(view.getBigUint64(start + 64, true));
	const last = new Uint32Array(24);
	const step = (at: number, column: number, none?: number) => {
		const before = last[column] as number;
		const written = view.getUint32(at, true);
		const ofNone = none === undefined ? RARE : (none - before) >>> 0;
		const difference = written === ofNone ? RARE : written === RARE ? ofNone : written;
		const value = (difference + before) >>> 0;
		view.setUint32(at, value, true);
		if (value !== none) last[column] = value;
	};
	for (let i = 0; i < 2 * functions; i++) step(table + 4 * i, 19 + (i & 1));
	for (let i = 0; i < functions; i++) {
		const at = table + view.getUint32(table + 8 * i + 4, true);
		const pcdata = view.getUint32(at + 28, true);
		const funcdata = view.getUint8(at + 43);
		[0, 4, 16].forEach((field, column) => step(at + field, column));
		for (let k = 0; k < pcdata; k++) step(at + 44 + 4 * k, 3 + k, 0);
		for (let k = 0; k < funcdata; k++) step(at + 44 + 4 * (pcdata + k), 11 + k, 0xffffffff);
	}
}

function indexOf(bytes: Uint8Array, what: number[], from: number, to: number): number {
	for (let at = from; (at = bytes.indexOf(what[0] as number, at)) >= 0 && at < to; at++) {
		if (what.every((byte, i) => bytes[at + i] === byte)) return at;
	}
	return -1;
}
