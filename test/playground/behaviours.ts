/**
 * What the playground does like the real app, one line each. `sourced` was read in the app's typings, documentation
 * or reports by its authors and users; `guess` is inferred, and the first to be doubted when a real app behaves
 * otherwise. `typings` is the sentence of the app's typings that says it, where one does. `shownBy` is `contract` for a case of `contract/` (which can be run in a real app too), else the test.
 */
export interface Behaviour {
	id: string;
	statement: string;
	standing: "sourced" | "guess";
	shownBy: string;
	typings?: string;
}

const contract = "contract";
const smoke = "test/e2e/playground.test.ts";
const host = "test/e2e/host.test.ts";
const app = "test/e2e/app.test.ts";
/** The contract once for each system. */
const each = "test/e2e/contract.test.ts";

function sourced(id: string, statement: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "sourced", shownBy };
}

function guess(id: string, statement: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "guess", shownBy };
}

function typed(id: string, statement: string, typings: string): Behaviour {
	return { id, statement, standing: "sourced", shownBy: contract, typings };
}

export const behaviours: Behaviour[] = [
	sourced(
		"create.collision",
		'Creating a file that exists throws "File already exists." and leaves it as it was.',
	),
	sourced("createBinary.collision", 'So does createBinary: "File already exists."'),
	sourced("createFolder.collision", 'Creating a folder that exists throws "Folder already exists."'),
	sourced("createFolder.unindexed", "So it does for a folder that is on disk but not in the index."),
	guess("createFolder.parents", "createFolder makes the folders above it too."),
	guess("create.noParent", "create does not make folders: without its parent it throws what the disk says."),
	sourced("rename.collision", 'Renaming to a name that exists throws "Destination file already exists!"'),
	guess("copy.collision", 'So does copying: "Destination file already exists!"'),
	sourced(
		"names.case",
		"The index is case-sensitive and the disk of macOS, Windows and Android is not: create asks the disk.",
	),
	guess("names.caseRename", "A rename that changes only the case works on every system."),
	sourced(
		"names.illegal",
		"create and createFolder refuse the system's illegal characters and name them all.",
	),
	sourced("names.linkCharacters", "# ^ [ ] break links and are allowed in file names (not on Android)."),
	guess("names.length", "A name that is too long is refused by the disk, with its own error."),
	sourced(
		"normalizePath",
		"Slashes collapse, no-break spaces become spaces, Unicode is composed; illegal characters stay.",
	),
	sourced(
		"hidden.create",
		"Hidden paths are not indexed: create writes and resolves to null; the adapter lists and reads them.",
	),
	sourced("process.atomic", "process is atomic per file: of 20 concurrent calls all survive."),
	guess(
		"process.throw",
		"An error in the callback rejects process and writes nothing; else it resolves to the new text.",
	),
	guess("append", "Appends are queued like all writes; the adapter's append makes a file that is missing."),
	guess("bytes", "CRLF and a byte order mark survive read, process and write."),
	guess(
		"events.before",
		"create, modify, rename and delete fire before the call's promise resolves, once each.",
	),
	guess("events.folder", "Moving or deleting a folder fires for it and for everything in it."),
	guess("delete.notEmpty", "The adapter's rmdir refuses a folder that is not empty unless it is recursive."),
	guess("adapter.stat", "The adapter's stat is null for what is missing, and read throws."),
	typed(
		"write.mtime",
		"The times given with a write are set.",
		"Time of last modification, represented as a unix timestamp, in milliseconds.",
	),
	sourced(
		"links.renameFile",
		"fileManager.renameFile updates the links of other notes: links, aliases, headings, embeds, Markdown links.",
	),
	sourced("links.vaultRename", "vault.rename does not."),
	guess(
		"links.resolve",
		"A link finds its file by name whatever the case; beside the source first, then the shortest path.",
	),
	typed(
		"links.linktext",
		"A link's text is the name where that is unique in the vault, else the path.",
		"If file name is unique, use the filename. If not unique, use full path.",
	),
	typed(
		"links.generate",
		"generateMarkdownLink follows the options for links.",
		"Generate a Markdown link based on the user's preferences.",
	),
	sourced("trash.local", "trashFile follows the person's option: to .trash, under a free name."),
	sourced("trash.none", "Or it deletes for good."),
	guess("trash.folder", "A folder goes with everything in it."),
	guess(
		"trash.system",
		"The system's bin is the vault's .trash here, since a test machine has no bin.",
		host,
	),
	guess("frontmatter.process", "processFrontMatter keeps the body, and writes block style YAML."),
	typed(
		"frontmatter.broken",
		"It throws on front matter that is not YAML and leaves the note as it was.",
		"@throws YAMLParseError if the YAML parsing fails",
	),
	sourced(
		"cache.content",
		"The cache holds links, embeds, tags, headings, list items, blocks, sections and front matter.",
	),
	sourced("cache.positions", "With line, column and offset from 0."),
	sourced(
		"cache.lists",
		"A list item's parent is its parent's line, or minus the line of the list's first item.",
	),
	sourced("cache.lag", "The cache is stale right after a write."),
	sourced(
		"cache.changed",
		"changed fires after a change of content with the text and the cache; not after a rename.",
	),
	guess("cache.links", "resolvedLinks and unresolvedLinks follow notes that come and go."),
	typed(
		"cache.subpath",
		"resolveSubpath finds headings and blocks.",
		"Resolve the given subpath to a reference in the MetadataCache.",
	),
	sourced(
		"editor.unsaved",
		"An editor saves 2 s after the last change; until then vault.read misses the text.",
	),
	sourced("editor.external", "A change on disk under unsaved text is merged into it, with a notice."),
	guess("editor.clean", "A change on disk under saved text replaces it."),
	guess(
		"editor.conflict",
		"Where both changed the same lines, the editor's text wins.",
		"test/playground/obsidian/merge.test.ts",
	),
	guess("editor.undo", "Changes by the Editor interface are in the editor's undo history."),
	sourced(
		"editor.positions",
		"Positions are line and UTF-16 column from 0; beyond the text they are moved to its end.",
	),
	guess("editor.transaction", "A transaction is one step of undo; its selection is in the new text."),
	sourced(
		"editor.lineBreaks",
		"An editor holds line feeds alone: the first edit of a note with CRLF makes it one with LF.",
		app,
	),
	guess("editor.untouched", "Opening and closing a note without an edit writes nothing.", app),
	sourced(
		"workspace.active",
		"getActiveFile is the file last active while a sidebar is; getActiveViewOfType is null then.",
	),
	sourced("workspace.layoutReady", "onLayoutReady runs at once when the layout is ready."),
	sourced(
		"workspace.deferred",
		"Views in tabs that are not shown are deferred after a start, until they are shown.",
		app,
	),
	sourced("load.order", "Plugins load before the vault, so create fires for every file at load.", smoke),
	sourced("load.external", "onExternalSettingsChange fires for changes of data.json from outside.", smoke),
	sourced(
		"load.require",
		"A plugin can require obsidian and the app's CodeMirror and Lezer packages, and nothing else.",
		app,
	),
	sourced("commands.run", "executeCommandById is false for an unknown command and where its check says no."),
	sourced(
		"tooltips",
		"Every aria-label, also that of a region, shows as a tooltip on hover; aria-labelledby does not.",
		app,
	),
	sourced(
		"secrets",
		"SecretStorage is synchronous, takes ids of lowercase letters, digits and dashes, and has no delete.",
	),
	typed(
		"localStorage",
		"saveLocalStorage keeps JSON for each vault; null removes.",
		"Save vault-specific value to `localStorage`. If data is `null`, the entry will be cleared.",
	),
	sourced("request.throws", "requestUrl throws at status 400 and above."),
	sourced("request.noThrow", "Unless throw is false."),
	guess("request.lazyJson", ".json is read lazily and can throw."),
	sourced("request.cors", "requestUrl is not bound by CORS; fetch is."),
	guess("request.body", "contentType becomes the header, a text body is UTF-8."),
	guess("request.refused", "Network failures carry Chromium's names for them."),
	guess("profile.linuxNames", "Linux and iOS refuse backslash, slash and colon, as macOS does.", each),
	guess(
		"profile.windowsNames",
		"Windows refuses device names and names that end with a dot or a space.",
		host,
	),
	guess("profile.folding", "Android's disk ignores case; that of iOS does not.", each),
	guess(
		"profile.unicode",
		"A name that the disk holds in decomposed form is known by its composed form.",
		host,
	),
];
