import { joined } from "../../bridge/host/text";

/** Stands where a secret was. */
const MARK = new TextEncoder().encode("[redacted]");

/** A form of a secret that is shorter than this stands for nothing: ordinary text may hold it. */
const SHORTEST_FORM = 6;

/** From here on a key is too long for a word that answers use by chance. */
const LONG = 16;

/** Whether a key is one that nobody writes by chance: long, or of letters and digits. */
export function worthHiding(secret: string): boolean {
	return secret.length >= LONG || (secret.length >= 8 && /\d/.test(secret) && /\p{L}/u.test(secret));
}

/**
 * Takes secrets out of an answer as it arrives, piece by piece: some servers
 * repeat what they were sent. Found are the secrets themselves and what they
 * become in addresses, in JSON and in base64, also where a piece ends within
 * one. Costs time linear in the answer.
 */
export class Redaction {
	#needles: Uint8Array[];
	#held: Uint8Array = new Uint8Array();

	constructor(secrets: string[]) {
		const forms = new Set(secrets.flatMap(formsOf));
		this.#needles = [...forms].map((form) => new TextEncoder().encode(form));
	}

	/** The next bytes of the answer, without secrets; what may be the start of one is kept back. */
	next(piece: Uint8Array): Uint8Array {
		const data = this.#held.length > 0 ? joined([this.#held, piece]) : piece;
		const { clean, read } = this.#clean(data, this.#unfinished(data));
		this.#held = data.slice(read);
		return clean;
	}

	/** The bytes that were kept back, at the end of the answer. */
	rest(): Uint8Array {
		return this.#clean(this.#held, this.#held.length).clean;
	}

	/** A whole text without secrets. */
	text(whole: string): string {
		const data = new TextEncoder().encode(whole);
		return new TextDecoder().decode(this.#clean(data, data.length).clean);
	}

	/** Takes out the secrets that begin before a place, the longest where two begin at once. */
	#clean(data: Uint8Array, stop: number): { clean: Uint8Array; read: number } {
		const found = this.#needles.map((needle) => ({ needle, at: indexOf(data, needle, 0) }));
		const out: Uint8Array[] = [];
		let from = 0;
		for (;;) {
			for (const f of found) if (f.at < from) f.at = indexOf(data, f.needle, from);
			const [first] = found
				.filter((f) => f.at < stop)
				.sort((a, b) => a.at - b.at || b.needle.length - a.needle.length);
			if (!first) break;
			out.push(data.subarray(from, first.at), MARK);
			from = first.at + first.needle.length;
		}
		const read = Math.max(from, stop);
		out.push(data.subarray(from, read));
		return { clean: joined(out), read };
	}

	/** Where the last bytes begin that may be the start of a secret. */
	#unfinished(data: Uint8Array): number {
		let at = data.length;
		for (const needle of this.#needles) {
			let start = Math.max(0, data.length - needle.length + 1);
			while (start < at && !matches(data, start, needle, data.length - start)) start++;
			at = Math.min(at, start);
		}
		return at;
	}
}

/** A secret as it may stand in an answer. */
function formsOf(secret: string): string[] {
	const url = encodeURIComponent(secret);
	const forms = [
		url,
		url.replace(/%../g, (hex) => hex.toLowerCase()),
		JSON.stringify(secret).slice(1, -1),
		secret.replaceAll("/", "\\/"),
		...base64Forms(secret),
	];
	return [secret, ...forms.filter((form) => form.length >= SHORTEST_FORM)];
}

/**
 * The part of a secret's base64 that is always the same, whatever stands before
 * and after it: it may begin at each of three places within three bytes.
 */
function base64Forms(secret: string): string[] {
	const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join("");
	return [0, 1, 2].flatMap((before) => {
		const bits = 8 * (before + bytes.length);
		const form = btoa("\0".repeat(before) + bytes).slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
		return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
	});
}

/** Where the needle stands from a place on; Infinity where it does not. */
function indexOf(data: Uint8Array, needle: Uint8Array, from: number): number {
	const first = needle[0] as number;
	for (let at = data.indexOf(first, from); at >= 0; at = data.indexOf(first, at + 1))
		if (at + needle.length <= data.length && matches(data, at, needle, needle.length)) return at;
	return Infinity;
}

/** Whether the first bytes of the needle stand at a place. */
function matches(data: Uint8Array, at: number, needle: Uint8Array, length: number): boolean {
	for (let i = 0; i < length; i++) if (data[at + i] !== needle[i]) return false;
	return true;
}
