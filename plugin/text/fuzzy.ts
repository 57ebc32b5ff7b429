// Finding names among very many: each word that is typed has to be in the path,
// at best at the beginning of the name.

/** A thing that can be named, made ready for searching. */
export interface Entry {
	kind: "note" | "folder" | "image";
	path: string;
	/** The path without accents and in lower case. */
	lower: string;
	/** Where the name begins in it, and where it ends (without a note's extension). */
	nameAt: number;
	nameTo: number;
	/** Which letters it has, one bit each: most entries are ruled out by it. */
	letters: number;
}

/** Makes a path ready for searching. */
export function entry(kind: Entry["kind"], path: string): Entry {
	const lower = fold(path);
	const nameAt = lower.lastIndexOf("/") + 1;
	const nameTo = kind === "note" && lower.endsWith(".md") ? lower.length - 3 : lower.length;
	return { kind, path, lower, nameAt, nameTo, letters: letters(lower) };
}

/** The text in lower case and without accents, so that "ubung" finds "Übung". */
export function fold(text: string): string {
	const lower = text.toLowerCase();
	// eslint-disable-next-line no-control-regex -- what is ASCII needs no more
	return /^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}

function letters(text: string): number {
	let set = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		if (c >= 97 && c <= 122) set |= 1 << (c - 97);
		else if (c >= 48 && c <= 57) set |= 1 << 26;
		else if (c > 127) set |= 1 << 27;
	}
	return set;
}

/** The words to look for. */
export interface Query {
	words: string[];
	letters: number;
}

/** Makes what was typed ready for searching. */
export function query(text: string): Query {
	const folded = fold(text);
	return { words: folded.split(/\s+/).filter((word) => word !== ""), letters: letters(folded) };
}

/** How well an entry fits: more is better, 0 is not at all. Longer paths come later among equals. */
export function fits(e: Entry, q: Query): number {
	if ((q.letters & ~e.letters) !== 0) return 0;
	let sum = 0;
	for (const word of q.words) {
		const score = fitsWord(e, word);
		if (score === 0) return 0;
		sum += score;
	}
	return 1 + sum - e.lower.length / 1000;
}

function fitsWord(e: Entry, word: string): number {
	const inName = e.lower.indexOf(word, e.nameAt);
	if (inName >= 0) {
		if (inName === e.nameAt) return inName + word.length === e.nameTo ? 120 : 100;
		return /[\s\-_.(]/.test(e.lower[inName - 1] ?? "") ? 80 : 60;
	}
	if (e.lower.includes(word)) return 40;
	return isSubsequence(word, e.lower, e.nameAt) ? 20 : 0;
}

/** Whether the letters of a word come in this order in a text, from a place on. */
function isSubsequence(word: string, text: string, from: number): boolean {
	let at = from;
	for (const letter of word) {
		at = text.indexOf(letter, at) + 1;
		if (at === 0) return false;
	}
	return true;
}

/** Milliseconds of work before other things have their turn. */
const slice = 6;
/** Entries between two looks at the clock. */
const step = 512;

/** The clock and the pauses of a search; a test gives its own. */
export interface Turns {
	now(): number;
	/** Resolves when other things have had their turn. */
	pause(): Promise<void>;
}

/**
 * A search that follows what is typed: a longer query looks only through what
 * the shorter one found. It works in slices of a few milliseconds, and a newer
 * search ends an older one.
 */
export class Narrowing {
	private found: { text: string; entries: readonly Entry[] }[] = [];
	private latest = 0;
	/** How many entries were looked at, for tests. */
	looked = 0;

	constructor(
		private readonly all: readonly Entry[],
		private readonly turns: Turns,
	) {}

	/** The best entries for a text, best first; null when a newer search has begun. */
	async find(text: string, limit: number): Promise<Entry[] | null> {
		const mine = ++this.latest;
		const wanted = query(text);
		while (this.found.length > 0 && !text.startsWith(this.found.at(-1)?.text ?? "")) this.found.pop();
		const among = this.found.at(-1)?.entries ?? this.all;
		const hits: Entry[] = [];
		const best = new Best(limit);
		let until = this.turns.now() + slice;
		for (let i = 0; i < among.length; i++) {
			const e = among[i];
			if (e === undefined) continue;
			const score = fits(e, wanted);
			this.looked++;
			if (score > 0) {
				hits.push(e);
				best.take(e, score);
			}
			if (i % step === 0 && this.turns.now() > until) {
				await this.turns.pause();
				if (mine !== this.latest) return null;
				until = this.turns.now() + slice;
			}
		}
		if (this.found.at(-1)?.text !== text) this.found.push({ text, entries: hits });
		return best.entries;
	}
}

/** The few best of many. */
class Best {
	private readonly held: { entry: Entry; score: number }[] = [];

	constructor(private readonly limit: number) {}

	take(entry: Entry, score: number): void {
		if (this.held.length === this.limit && score <= (this.held.at(-1)?.score ?? 0)) return;
		let at = this.held.length;
		while (at > 0 && (this.held[at - 1]?.score ?? 0) < score) at--;
		this.held.splice(at, 0, { entry, score });
		if (this.held.length > this.limit) this.held.pop();
	}

	get entries(): Entry[] {
		return this.held.map((h) => h.entry);
	}
}
