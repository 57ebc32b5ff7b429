// Makes a vault of LARGE notes (100,000) in the folder given: notes of about
// 1.4 kB with front matter, headings, tags, links and tasks, in folders, with
// names of all kinds among them. The same bytes each time.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Names and texts that programs stumble over. */
const ODD = {
	"odd/Ünïcödé NFC é.md": "# nfc",
	"odd/NFD e\u0301tude.md": "# nfd",
	"odd/👩‍👩‍👧 família 🗂️.md": "# emoji ZWJ",
	"odd/ملاحظة يومية.md": "# عربي",
	"odd/הערה יומית.md": "# עברית",
	"odd/日本語のノート（全角）.md": "# 日本",
	"odd/한국어 노트.md": "# ko",
	"odd/C# notes.md": "# csharp",
	"odd/50% off & 'single'.md": "q",
	"odd/double  space.md": "d",
	"odd/empty.md": "",
	"odd/crlf.md": "---\r\ntags: [a, b]\r\n---\r\nx\r\n",
	"odd/bom.md": "\ufeff---\ntags: a\n---\nbom",
	"odd/bad-yaml.md": "---\ntags: [a\nx: : y\n---\nbody",
	"odd/big.md": `# big\n${"word [[empty]] #tag/sub ^blk\n".repeat(200_000)}`,
	[`odd/${"x".repeat(200)}.md`]: "long",
	[`odd/${Array.from({ length: 40 }, (_, i) => `d${i}`).join("/")}/deep.md`]: "deep",
};

/** A word that stands in one note of 10,000. */
export const RARE = "quetzalcoatlus";

const STEMS = (
	"garden water stone letter river winter summer paper window market engine bridge forest island mirror button " +
	"candle pencil ladder basket helmet hammer pocket shadow silver copper marble cotton velvet saddle anchor beacon"
).split(" ");
const IDEOGRAPHS = "山水人口日月木火土金天地大小上下中国学生年時分会社見行来食飲話読書";

/** Numbers from 0 to 1, the same each time (mulberry32). */
function random(seed) {
	return () => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

/** A vocabulary: few words are frequent, most are rare. */
function vocabulary(next) {
	const ends = ["", "s", "ed", "ing", "er", "ly", "less", "ful", "ness", "ward"];
	const pick = (list) => list[Math.floor(next() * list.length)];
	const words = Array.from({ length: 20_000 }, (_, i) =>
		i % 20 === 19
			? Array.from({ length: 2 + (i % 3) }, () => pick([...IDEOGRAPHS])).join("")
			: pick(STEMS).slice(0, 3 + (i % 4)) + (i > 300 ? pick(STEMS).slice(i % 3) : "") + pick(ends),
	);
	return () => words[Math.floor(words.length * next() ** 3)];
}

const titleOf = (n) => `Note ${n}`;
const pathOf = (n) => `Area ${n % 40}/Topic ${Math.floor(n / 40) % 25}/${titleOf(n)}.md`;

/** One note. */
function noteOf(n, count, next, word) {
	const line = (length) => Array.from({ length }, word).join(" ");
	const day = new Date(Date.UTC(2020, 0, 1 + (n % 2400))).toISOString().slice(0, 10);
	const front = `---\ntype: ${["note", "person", "project", "meeting"][n % 4]}\nrating: ${n % 10}\ncreated: ${day}\ntags: [area/${n % 40}, t${n % 500}]\n---\n`;
	const blocks = [`# ${titleOf(n)}\n`];
	const size = 400 + 2200 * next() ** 1.5;
	for (let length = 0; length < size;) {
		const roll = next();
		const link = `[[${titleOf(Math.floor(next() * count))}]]`;
		const text =
			roll < 0.1
				? `## ${line(3)}\n`
				: roll < 0.2
					? `- [${next() < 0.5 ? " " : "x"}] ${line(6)} ${link}\n`
					: `${line(30)} ${roll < 0.5 ? link : ""}${roll > 0.9 ? ` #${word()}` : ""}\n`;
		blocks.push(text);
		length += text.length;
	}
	if (n % 10_000 === 4_321 % count) blocks.push(`Here a ${RARE} was seen.\n`);
	return front + blocks.join("\n");
}

/** Makes the vault; gives how many notes there are and the bytes of their text. */
export function makeLarge(folder, count) {
	const next = random(1);
	const word = vocabulary(next);
	const made = new Set();
	let bytes = 0;
	const put = (path, text) => {
		const file = join(folder, path);
		if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
		made.add(dirname(file));
		writeFileSync(file, text);
		bytes += Buffer.byteLength(text);
	};
	const odd = Object.entries(ODD).slice(0, count);
	for (const [path, text] of odd) put(path, text);
	for (let n = 0; n < count - odd.length; n++) put(pathOf(n), noteOf(n, count, next, word));
	return { notes: count, bytes };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
	const [folder, count = process.env.LARGE ?? "100000"] = process.argv.slice(2);
	if (!folder) throw new Error("usage: node scripts/make-large.mjs FOLDER [COUNT]");
	const { notes, bytes } = makeLarge(folder, Number(count));
	console.log(`${folder}: ${notes} notes, ${bytes} bytes`);
}
