// Go's program carries, for each function, tables of the files and lines that
// its instructions came from: they are asked for only when a crash is printed,
// and are a tenth of the packed core. Without them a printed crash has each
// function with the instruction's place in it, from which `go tool objdump` of
// the same build tells the line.
//
// The layout is that of the linker (cmd/link/internal/ld/pcln.go) and the runtime
// (runtime/symtab.go, runtime/runtime2.go: pcHeader, functab, _func).

/** pcHeader of Go 1.20 and later, for instructions of any length and pointers of 8 bytes. */
const MAGIC = Buffer.from([0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]);

const FUNC = { pcsp: 16, pcfile: 20, pcln: 24, npcdata: 28, cuOffset: 32, startLine: 36, nfuncdata: 43, pcdata: 44 };

/**
 * The tables (internal/abi/symtab.go) that only a printed crash asks for: the calls that were inlined, and the
 * arguments; and where a program may be interrupted from outside, which js/wasm never is.
 */
const UNUSED = { pcdata: [/* UnsafePoint */ 0, /* InlTreeIndex */ 2, /* ArgLiveIndex */ 3], funcdata: [/* InlTree */ 3, /* ArgInfo */ 5, /* ArgLiveInfo */ 6] };

/**
 * Empties the tables of files and lines in a module's data, in place. The runtime
 * takes place 0 for "no table". Fails where the tables are not as this Go writes
 * them; a module that is not Go's is left alone.
 */
export function dropLines(module) {
	const start = module.indexOf(MAGIC);
	if (start < 0) return module;
	const header = headerAt(module, start);
	const keep = new Uint8Array(header.pclntab - header.pctab);
	keep[0] = 1;
	for (let i = 0; i < header.functions; i++) {
		const at = start + header.pclntab + module.readUInt32LE(start + header.pclntab + 8 * i + 4);
		dropOf(module, at, (table) => keepTable(module, start + header.pctab, table, keep));
	}
	keep.forEach((kept, i) => {
		if (!kept) module[start + header.pctab + i] = 0;
	});
	module.fill(0, start + header.cutab, start + header.pctab); // numbers and names of files
	return module;
}

function headerAt(module, start) {
	const word = (n) => Number(module.readBigUInt64LE(start + 8 * n));
	const [functions, funcnames, cutab, filetab, pctab, pclntab] = [1, 4, 5, 6, 7, 8].map(word);
	const rises = [72, funcnames, cutab, filetab, pctab, pclntab].every((n, i, all) => i === 0 || n >= all[i - 1]);
	const again = module.indexOf(MAGIC, start + 1);
	if (!rises || functions < 1 || start + pclntab + 8 * functions > module.length || again >= 0) {
		throw new Error("Go's tables of functions are not as scripts/build/lines.mjs knows them: look at this Go's runtime/symtab.go");
	}
	return { functions, cutab, pctab, pclntab };
}

/** Takes the tables out of a function's record, and says which others it has. */
function dropOf(module, at, keep) {
	for (const field of [FUNC.pcfile, FUNC.pcln, FUNC.cuOffset, FUNC.startLine]) module.writeUInt32LE(0, at + field);
	keep(module.readUInt32LE(at + FUNC.pcsp));
	const counts = [module.readUInt32LE(at + FUNC.npcdata), module.readUInt8(at + FUNC.nfuncdata)];
	if (counts.some((n) => n > 8)) throw new Error("a function's record is not as scripts/build/lines.mjs knows it");
	for (let i = 0; i < counts[0]; i++) {
		const place = at + FUNC.pcdata + 4 * i;
		if (UNUSED.pcdata.includes(i)) module.writeUInt32LE(0, place);
		else keep(module.readUInt32LE(place));
	}
	for (const i of UNUSED.funcdata.filter((i) => i < counts[1])) {
		module.writeUInt32LE(0xffffffff, at + FUNC.pcdata + 4 * (counts[0] + i));
	}
}

/** Marks a table's bytes: pairs of numbers, until a first one that is 0 (runtime/symtab.go, step). */
function keepTable(module, pctab, table, keep) {
	if (table === 0 || keep[table]) return; // a table that is there twice is kept once
	let at = table;
	const number = () => {
		let bits = 0;
		let byte;
		do {
			byte = module[pctab + at];
			bits |= byte & 127;
			keep[at++] = 1;
		} while (byte & 128);
		return bits;
	};
	for (let first = true; number() !== 0 || first; first = false) number();
}
