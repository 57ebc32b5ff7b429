// How well vault.related finds what belongs together, on a set with known answers:
// the sections of this project's pages, as notes without names, links or tags, so that
// words alone tell. A section is asked for with its own text, and the answers are
// the other sections of its page; then with its heading, which is taken out of it, and
// the answer is the section itself. A score of 1 finds all. The same questions go to
// a BM25 of a library (MiniSearch), and to a plain search, whose best notes are those
// that hold the most words of the question.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";

export const names = [
	"related_notes",
	"related_notes_vs_bm25",
	"related_notes_vs_search",
	"related_text",
	"related_text_vs_bm25",
	"related_text_vs_search",
];

const FIRST = 10; // so many notes are looked at
const LEAST = 300; // characters: less says too little to be asked about

export async function* rows(ctx) {
	const notes = sections(join(ctx.root, "docs"));
	const questions = [
		["notes", notes.map((n) => ({ id: n.id, text: n.text, answers: besides(notes, n) }))],
		["text", notes.map((n) => ({ text: `${n.page} ${n.heading}`, answers: [n.id] }))],
	];
	const engines = { bm25: library(notes), search: plain(notes) };
	for (const [kind, asked] of questions) {
		const able = asked.filter((q) => q.answers.length > 0);
		const ours = mean(able, answersOfTool(ctx, notes, able));
		yield [`related_${kind}`, ours, "of 1"];
		for (const [name, engine] of Object.entries(engines)) {
			const theirs = mean(
				able,
				able.map((q) => engine(q.text).filter((id) => id !== q.id)),
			);
			yield [`related_${kind}_vs_${name}`, ours / theirs, "x"];
		}
	}
}

/** The sections of all pages below a folder. */
function sections(folder) {
	const out = [];
	for (const path of readdirSync(folder, { recursive: true }).sort()) {
		if (!path.endsWith(".md")) continue;
		const [head, ...parts] = readFileSync(join(folder, path), "utf8").split(/^##+ +/mu);
		const page = head.match(/^# +(.*)$/mu)?.[1] ?? "";
		for (const part of parts) {
			const end = part.indexOf("\n");
			const text = part.slice(end + 1).replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1");
			const id = `${String(out.length).padStart(4, "0")}.md`;
			if (text.length >= LEAST) out.push({ id, path, page, heading: part.slice(0, end), text });
		}
	}
	return out;
}

const besides = (notes, one) => notes.filter((n) => n !== one && n.path === one.path).map((n) => n.id);

/** The share of the answers that are among the first, on average. */
function mean(asked, given) {
	let sum = 0;
	asked.forEach(({ answers }, i) => {
		const found = given[i].slice(0, FIRST).filter((id) => answers.includes(id)).length;
		sum += found / Math.min(FIRST, answers.length);
	});
	return sum / asked.length;
}

/** vault.related over the notes, in one test process: an index, an overlay and the tool. */
function answersOfTool(ctx, notes, asked) {
	const folder = ctx.folder();
	mkdirSync(join(folder, "vault"));
	for (const n of notes) writeFileSync(join(folder, "vault", n.id), n.text);
	writeFileSync(
		join(folder, "asked.json"),
		JSON.stringify(asked.map(({ id, text }) => (id ? { path: id } : { text }))),
	);
	execFileSync(
		"go",
		[
			"test",
			"-run",
			"^$",
			"-bench",
			"^BenchmarkRelated$",
			"-benchtime",
			"1x",
			"./wasm/internal/tool/builtin",
		],
		{
			cwd: ctx.root,
			env: { ...process.env, RELATED: folder },
		},
	);
	return JSON.parse(readFileSync(join(folder, "found.json"), "utf8"));
}

function library(notes) {
	const index = new MiniSearch({ fields: ["text"] });
	index.addAll(notes);
	return (text) => index.search(text).map(({ id }) => id);
}

function plain(notes) {
	const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
	const all = notes.map(({ id, text }) => ({ id, text: text.toLowerCase() }));
	return (text) => {
		const wanted = [...words(text)];
		const held = all.map((n) => ({ id: n.id, n: wanted.filter((w) => n.text.includes(w)).length }));
		return held.sort((a, b) => b.n - a.n).map(({ id }) => id);
	};
}
