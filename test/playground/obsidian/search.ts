/** Fuzzy and simple search, as suggestions and switchers use them. */
export type SearchMatchPart = [number, number];

export interface SearchResult {
	/** Higher is better; 0 is a perfect match, misses are null. */
	score: number;
	matches: SearchMatchPart[];
}

/** All letters of the query in their order; adjacent letters, word starts and early matches score higher. */
export function prepareFuzzySearch(query: string): (text: string) => SearchResult | null {
	const letters = query.toLowerCase().replace(/\s+/g, "");
	return (text) => fuzzy(letters, text);
}

function fuzzy(letters: string, text: string): SearchResult | null {
	if (letters === "") return { score: 0, matches: [] };
	const lower = text.toLowerCase();
	const whole = lower.indexOf(letters);
	if (whole >= 0)
		return {
			score: -whole * 0.01 - (text.length - letters.length) * 0.001,
			matches: [[whole, whole + letters.length]],
		};
	const matches: SearchMatchPart[] = [];
	let at = 0;
	let penalty = 0;
	for (const letter of letters) {
		const found = findLetter(lower, letter, at);
		if (found < 0) return null;
		const last = matches.at(-1);
		if (last?.[1] === found) last[1] = found + letter.length;
		else {
			matches.push([found, found + letter.length]);
			penalty += isWordStart(text, found) ? 0.1 : 0.5;
		}
		at = found + letter.length;
	}
	return { score: -penalty - text.length * 0.001, matches };
}

function findLetter(lower: string, letter: string, from: number): number {
	if (lower.startsWith(letter, from)) return from;
	for (let at = lower.indexOf(letter, from); at >= 0; at = lower.indexOf(letter, at + 1))
		if (isWordStart(lower, at)) return at;
	return lower.indexOf(letter, from);
}

function isWordStart(text: string, at: number): boolean {
	return at === 0 || /[\s/\-_:.,]/.test(text[at - 1] ?? "");
}

/** Every word of the query somewhere in the text. */
export function prepareSimpleSearch(query: string): (text: string) => SearchResult | null {
	const words = query
		.toLowerCase()
		.split(/\s+/)
		.filter((word) => word !== "");
	return (text) => {
		const lower = text.toLowerCase();
		const matches: SearchMatchPart[] = [];
		for (const word of words) {
			let at = lower.indexOf(word);
			if (at < 0) return null;
			for (; at >= 0; at = lower.indexOf(word, at + word.length)) matches.push([at, at + word.length]);
		}
		matches.sort((a, b) => a[0] - b[0]);
		return { score: -(matches[0]?.[0] ?? 0) * 0.01 - text.length * 0.001, matches };
	};
}

/** Best first, in place. */
export function sortSearchResults(results: { match: SearchResult }[]): void {
	results.sort((a, b) => b.match.score - a.match.score);
}

/** Writes the text with the matched parts highlighted. `offset` is what precedes `text` in what was searched. */
export function renderMatches(
	el: HTMLElement | DocumentFragment,
	text: string,
	matches: SearchMatchPart[] | null,
	offset = 0,
): void {
	let at = 0;
	for (const [start, end] of matches ?? []) {
		const from = Math.max(start + offset, at);
		const to = Math.min(end + offset, text.length);
		if (to <= from) continue;
		el.append(text.slice(at, from));
		const hit = document.createElement("span");
		hit.className = "suggestion-highlight";
		hit.textContent = text.slice(from, to);
		el.append(hit);
		at = to;
	}
	el.append(text.slice(at));
}

export function renderResults(el: HTMLElement, text: string, result: SearchResult, offset = 0): void {
	renderMatches(el, text, result.matches, offset);
}
