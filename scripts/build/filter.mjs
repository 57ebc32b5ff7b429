// What Go's program counts up packs badly: each call notes the place that it returns
// to, a number that no other call has, and each function's record holds places that
// rise from one record to the next. As differences to the one before they are small
// and alike. The worker puts them back (bridge/unfilter.ts) before it compiles the
// module; the way is the one of the filters of xz for machine code.

import { leb } from "./segments.mjs";

/** How Go's compiler begins a call: SP goes down by 8, and the place to return to (i64.const) is stored there. */
const CALL = Buffer.from([0x41, 8, 0x6b, 0x22, 1, 0x24, 0, 0x20, 1, 0x42]);
/** The bytes of such a place in LEB128; one of another length is left as it is. */
const PLACE = 5;

/** pcHeader of Go 1.20 and later (scripts/build/lines.mjs). */
const MAGIC = Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]);
/** A difference that records do not have. */
const RARE = 0x80000000;

/** The sections of a module that are looked through (WebAssembly core specification, 5.5.2). */
const CODE = 10;
const DATA = 11;

/** Replaces in place what counts up by its differences; the module keeps its length. */
export function filter(module) {
	for (let at = 8; at < module.length; ) {
		const [size, body] = leb(module, at + 1);
		const section = module.subarray(body, body + size);
		if (module[at] === CODE) filterCalls(section);
		if (module[at] === DATA) filterRecords(section);
		at = body + size;
	}
	return module;
}

function filterCalls(code) {
	let last = [0, 0];
	for (let at = 0; (at = code.indexOf(CALL, at)) >= 0; ) {
		at += CALL.length;
		if (at + PLACE > code.length || !isPlace(code, at)) continue;
		const place = placeAt(code, at);
		const forward = (place[0] - last[0]) & 0x7ffff;
		write(code, at, [forward, forward === 0 ? (place[1] - last[1]) & 0xffff : place[1]]);
		last = place;
		at += PLACE;
	}
}

function isPlace(code, at) {
	return (code[at] & code[at + 1] & code[at + 2] & code[at + 3] & 128) !== 0 && code[at + 4] < 128;
}

/** The function, in 19 bits, and the place in it, in 16. */
function placeAt(code, at) {
	const low = (code[at] & 127) | ((code[at + 1] & 127) << 7) | ((code[at + 2] & 127) << 14) | ((code[at + 3] & 127) << 21);
	return [(low >>> 16) | (code[at + 4] << 12), low & 0xffff];
}

function write(code, at, [fn, place]) {
	const low = ((fn & 0xfff) << 16) | place;
	for (let i = 0; i < 4; i++) code[at + i] = ((low >>> (7 * i)) & 127) | 128;
	code[at + 4] = fn >>> 12;
}

/** The table of functions, and their records (runtime/symtab.go; runtime/runtime2.go: _func). */
function filterRecords(data) {
	const start = data.indexOf(MAGIC);
	if (start < 0) return;
	const functions = Number(data.readBigUInt64LE(start + 8));
	const table = start + Number(data.readBigUInt64LE(start + 64));
	const last = new Uint32Array(24);
	/** A number that says "none" gets a difference that is rare, and the rare one gets that of none. */
	const step = (at, column, none) => {
		const value = data.readUInt32LE(at);
		const difference = (value - last[column]) >>> 0;
		const ofNone = none === undefined ? RARE : (none - last[column]) >>> 0;
		data.writeUInt32LE(difference === ofNone ? RARE : difference === RARE ? ofNone : difference, at);
		if (value !== none) last[column] = value;
	};
	for (let i = 0; i < functions; i++) {
		const at = table + data.readUInt32LE(table + 8 * i + 4);
		const pcdata = data.readUInt32LE(at + 28);
		const funcdata = data[at + 43];
		if (pcdata > 8 || funcdata > 8) throw new Error("a function's record is not as scripts/build/filter.mjs knows it");
		[0, 4, 16].forEach((field, column) => step(at + field, column));
		for (let k = 0; k < pcdata; k++) step(at + 44 + 4 * k, 3 + k, 0);
		for (let k = 0; k < funcdata; k++) step(at + 44 + 4 * (pcdata + k), 11 + k, 0xffffffff);
	}
	for (let i = 0; i < 2 * functions; i++) step(table + 4 * i, 19 + (i & 1));
}
