// Bytes as text that may stand in a comment of main.js (bridge/module.ts reads it).

const ALPHABET =
	"!#$%&'()+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/** Writes 13 bits, the lowest first, in two characters out of 91: 91 times 91 is a little more than 2 to the 13th. */
export function toBase91(bytes) {
	const out = Buffer.alloc(2 * Math.ceil((bytes.length * 8) / 13));
	let bits = 0;
	let count = 0;
	let at = 0;
	const put = (pair) => {
		out[at++] = ALPHABET.charCodeAt(Math.floor(pair / 91));
		out[at++] = ALPHABET.charCodeAt(pair % 91);
	};
	for (const byte of bytes) {
		bits |= byte << count;
		count += 8;
		if (count < 13) continue;
		put(bits & 8191);
		bits >>>= 13;
		count -= 13;
	}
	if (count > 0) put(bits);
	return out.toString("latin1", 0, at);
}
