import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { answer, loadScripts } from "./scripts.mjs";

const root = fileURLToPath(new URL("../vault/", import.meta.url));
const all = readdirSync(root, { recursive: true, withFileTypes: true })
	.filter((entry) => entry.isFile())
	.map((entry) => join(entry.parentPath, entry.name).slice(root.length).split(sep).join("/"));
const files = all.filter((path) => !path.startsWith("."));
const notes = files.filter((path) => path.endsWith(".md"));
const bytes = (path) => readFileSync(join(root, path));
const text = (path) => bytes(path).toString("utf8");
const everything = notes.map(text).join("\n");

test("the vault has about forty notes, believable ones", () => {
	assert.ok(notes.length >= 40 && notes.length <= 60, `${notes.length} notes`);
	assert.doesNotMatch(everything, /lorem ipsum|foo bar|TODO/iu);
});

test("the ideas are exactly ten top-level bullets: one nested, one with formatting, one long", () => {
	const lines = text("Inbox/Ideas for the garden.md").split("\n");
	const bullets = lines.filter((line) => line.startsWith("- "));
	assert.equal(bullets.length, 10);
	const first = lines.indexOf(bullets[0]);
	const last = lines.indexOf(bullets[9]);
	assert.ok(
		lines.slice(first, last + 1).every((line) => /^\s*- |^\s+\S/u.test(line)),
		"the list is one piece",
	);
	const nested = bullets.filter((bullet) => lines[lines.indexOf(bullet) + 1]?.startsWith("  - "));
	assert.equal(nested.length, 1);
	assert.equal(bullets.filter((bullet) => /\*\*.+\*\*.*`.+`/u.test(bullet)).length, 1);
	assert.equal(bullets.filter((bullet) => bullet.length > 150).length, 1);
	assert.equal(new Set(bullets).size, 10);
});

/** Paths of notes and folders that the demo's plan for these words takes to be there. */
function pathsNeeded(instruction, scripts) {
	const context = { selection: "- a", activeFile: "Start here.md", context: "", attempts: 0 };
	const asked = { instruction, ...context, offersPlan: true, wantsJson: false, stream: false };
	const { items } = answer(asked, scripts, new Date());
	assert.doesNotMatch(items[0].text, /^I am the demo model/u, instruction);
	const { steps } = JSON.parse(items[1]?.arguments ?? '{"steps":[]}');
	const needed = ["vault.readFile", "vault.rename", "vault.delete", "vault.listFiles", "workspace.openFile"];
	return steps
		.filter((step) => needed.includes(step.tool))
		.map((step) => step.args.path ?? step.args.folder)
		.filter((path) => !path.startsWith("$"));
}

const isThere = (path) => files.some((file) => file === path || file.startsWith(`${path}/`));

test("every sentence that the first page suggests is understood, and what it names is there", () => {
	const page = text("Start here.md");
	const quoted = [...page.matchAll(/^ {3}> (.+)$/gmu), ...page.matchAll(/^- `(.+?)`/gmu)].map(
		(match) => match[1],
	);
	assert.equal(quoted.length, 7);
	const needed = quoted.flatMap((instruction) => pathsNeeded(instruction, loadScripts()));
	assert.deepEqual(needed, ["Inbox/Untitled.md", "Inbox/Empty thought.md", "Projects/Community garden"]);
	for (const path of needed) assert.ok(isThere(path), path);
});

test("the notes and folders that the demo model's own sentences need are there", () => {
	const scripts = loadScripts();
	const needed = scripts.flatMap((script) => pathsNeeded(script.try, scripts));
	assert.ok(needed.length >= 6, needed.join(", "));
	for (const path of needed) assert.ok(isThere(path), path);
});

test("names hold emoji, Japanese, accents, an apostrophe, an ampersand and parentheses, and are legal everywhere", () => {
	for (const pattern of [/🎃/u, /庭/u, /è/u, /'/u, /&/u, /\(.+\)/u, /.{60,}/u]) {
		assert.ok(
			files.some((file) => pattern.test(basename(file))),
			String(pattern),
		);
	}
	for (const file of all) {
		assert.doesNotMatch(file, /[\\:*?"<>|#^[\]]|[. ](?:\/|$)/u);
		assert.equal(file.normalize("NFC"), file);
	}
	const folded = all.map((file) => file.toLowerCase());
	assert.equal(new Set(folded).size, all.length, "two names differ by case only");
});

test("an empty note, CRLF and a byte order mark are kept as bytes", () => {
	assert.equal(bytes("Inbox/Empty thought.md").length, 0);
	const windows = text("Notes/Plain text from Windows.md");
	assert.ok(windows.includes("\r\n"));
	assert.doesNotMatch(windows, /[^\r]\n/u);
	assert.deepEqual([...bytes("Notes/Imported from an old computer.md").subarray(0, 3)], [0xef, 0xbb, 0xbf]);
	assert.equal(text(".gitattributes").includes("* -text"), true);
});

test("the notes use what a vault uses", () => {
	const uses = {
		"front matter list, inline": /^tags: \[.+, .+\]$/mu,
		"front matter list, block": /^tags:\n {2}- /mu,
		"front matter date": /^date: \d{4}-\d\d-\d\d$/mu,
		"front matter date and time": /^starts: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/mu,
		"front matter number": /^share: 0\.\d+$/mu,
		"front matter quoted string": /^contact:|^lead: "\[\[Mara\]\]"$/mu,
		"front matter comment": /^---\n# /mu,
		"front matter nested map": /^ {4}summer: "08:00-20:00"$/mu,
		"front matter folded text": /^summary: >$/mu,
		"front matter flow map": /^rota: \{.+\}$/mu,
		"front matter null and boolean": /^reviewed: null$|^public: true$/mu,
		"duplicate tag": /tags: \[.*\bwater, water\]/u,
		"nested inline tag": /\s#garden\/material\b/u,
		"Dataview field with a comma in a link": /^Needs:: \[\[[^\]]+, [^\]]+\]\]/mu,
		alias: /\[\[Inbox\/Ideas for the garden\|the list\]\]/u,
		"heading link": /\[\[Open questions#Water\]\]/u,
		"block reference": /\[\[[^\]]+#\^water-decision\]\]/u,
		"block id": / \^water-decision$/mu,
		"note embed": /^!\[\[Chapter 1\]\]$/mu,
		"image embed with a width": /!\[\[bed-layout\.png\|320\]\]/u,
		"Markdown link with %20": /\]\(Harrowgate%20Observatory\.md\)/u,
		"Markdown link in angle brackets": /\]\(<Packing & travel\.md#Mail>\)/u,
		"code block with a link and a tag": /```python\n# \[\[Not a link\]\] and #not-a-tag/u,
		"task states": /- \[x\][\s\S]*- \[\/\][\s\S]*- \[-\][\s\S]*- \[>\]/u,
		"task with sub-items": /^- \[ \] .+\n {2}- \[ \] /mu,
		callout: /^> \[!note\]- /mu,
		table: /^\| :-- \| :----: \|/mu,
		"escaped pipe in a table link": /\[\[[^\]|]+\\\|/u,
		"LaTeX block": /^\$\$\n.+\\frac/mu,
		"LaTeX inline": /\$\\sqrt|\$d = \\frac/u,
		footnote: /\[\^frost\]: /u,
		highlight: /==12 May==/u,
		comment: /%%.+%%/u,
		"mermaid with a link": /```mermaid[\s\S]+?\[\[Soil\]\]/u,
		"template placeholders": /\{\{date:YYYY-MM-DD\}\} at \{\{time:HH:mm\}\}/u,
		"hand-written index with markers": /%% index begin %%\n- \[\[/u,
	};
	for (const [what, pattern] of Object.entries(uses)) assert.match(everything, pattern, what);
});

/** Targets of wikilinks and embeds outside code, without heading, block and alias. */
function linkTargets(note) {
	const prose = note.replace(/^(```|~~~)[\s\S]*?^\1$/gmu, "").replace(/`[^`\n]*`/gu, "");
	return [...prose.matchAll(/\[\[([^\]|#\\]+)/gu)].map((match) => match[1].trim());
}

test("links lead somewhere, but for those that are broken on purpose", () => {
	const names = new Set(
		files.flatMap((file) => [file, file.replace(/\.md$/u, ""), basename(file), basename(file, ".md")]),
	);
	const folded = new Set([...names].map((name) => name.toLowerCase()));
	const targets = notes.flatMap((note) => linkTargets(text(note)));
	assert.ok(targets.length > 100, `${targets.length} links`);
	const broken = targets.filter((target) => !folded.has(target.toLowerCase()));
	assert.deepEqual([...new Set(broken)].sort(), [
		"Chapter 3",
		"Companion plantnig",
		"Library, the old one",
		"Mara",
		"Otto",
		"School yard",
		"Seed library",
		"Shed roof, gutter",
		"Sky",
		"Star charts",
		"Tomato trellis",
		"Tomás",
		"Tools",
		"lemon tree",
	]);
	const byCase = targets.filter((target) => !names.has(target) && folded.has(target.toLowerCase()));
	assert.ok(byCase.includes("SOIL") && byCase.includes("Rain Barrel"), "links that differ by case only");
});

test("one attachment is used, one is not, and both are small pictures", () => {
	const used = (name) => everything.includes(name);
	assert.deepEqual([used("bed-layout.png"), used("old-sketch.png")], [true, false]);
	for (const path of ["Attachments/bed-layout.png", "Attachments/old-sketch.png"]) {
		const png = bytes(path);
		assert.ok(png.length < 1000, `${png.length} bytes`);
		assert.equal(png.subarray(1, 4).toString(), "PNG");
		const width = png.readUInt32BE(16);
		const height = png.readUInt32BE(20);
		const data = png.indexOf("IDAT");
		const pixels = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)));
		assert.equal(pixels.length, (width + 1) * height);
	}
});

test("the canvas names files of the vault and its edges join its nodes", () => {
	const canvas = JSON.parse(text("Projects/Community garden/Garden map.canvas"));
	for (const node of canvas.nodes.filter((each) => each.file))
		assert.ok(files.includes(node.file), node.file);
	const ids = canvas.nodes.map((node) => node.id);
	for (const edge of canvas.edges) assert.ok(ids.includes(edge.fromNode) && ids.includes(edge.toNode));
});

test("the settings of the vault point to folders and templates that exist", () => {
	const setting = (name) => JSON.parse(text(`.obsidian/${name}.json`));
	assert.equal(setting("app").attachmentFolderPath, "Attachments");
	assert.ok(notes.includes(`${setting("daily-notes").template}.md`));
	const exists = (folder) => files.some((file) => file.startsWith(`${folder}/`));
	assert.ok(exists(setting("templates").folder) && exists(setting("daily-notes").folder));
	assert.equal(setting("core-plugins")["daily-notes"], true);
});
