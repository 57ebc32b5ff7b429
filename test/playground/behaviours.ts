/**
 * What the playground does like the real app, one line each.
 *
 * - `sourced` was read in the app's typings, its help, or reports by its makers, authors of plugins and users.
 * - `either`: nobody has read it, and the plugin works whichever way it is. The playground can behave the other way
 *   (`obsidian/otherwise.ts`), and `test/e2e/otherwise.test.ts` shows that the plugin works then too.
 * - `unused`: nobody has read it, and nothing in the plugin depends on it: it names none of `members`.
 * - `guess` is inferred, and the first to be doubted when a real app behaves otherwise.
 */
export interface Behaviour {
	id: string;
	statement: string;
	standing: "sourced" | "either" | "unused" | "guess";
	/** `contract` for a case of `contract/` (which can be run in a real app too), else the test. */
	shownBy: string;
	/** The sentence of the app's typings that says it. */
	typings?: string;
	/** Where else it was read. */
	source?: string;
	/** How the playground behaves when it is told to behave otherwise. */
	otherwise?: string;
	/** What the plugin would have to name to depend on it. */
	members?: string[];
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

function read(source: string, id: string, statement: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "sourced", shownBy, source };
}

function either(id: string, statement: string, otherwise: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "either", shownBy, otherwise };
}

function unused(members: string[], id: string, statement: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "unused", shownBy, members };
}

function guess(id: string, statement: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "guess", shownBy };
}

function typed(id: string, statement: string, typings: string, shownBy = contract): Behaviour {
	return { id, statement, standing: "sourced", shownBy, typings };
}

export const behaviours: Behaviour[] = [
	sourced(
		"create.collision",
		'Creating a file that exists throws "File already exists." and leaves it as it was.',
	),
	sourced("createBinary.collision", 'So does createBinary: "File already exists."'),
	sourced("createFolder.collision", 'Creating a folder that exists throws "Folder already exists."'),
	sourced("createFolder.unindexed", "So it does for a folder that is on disk but not in the index."),
	read(
		"github.com/obsidianmd/obsidian-api/issues/88: mkdir of the adapter is recursive",
		"createFolder.parents",
		"createFolder makes the folders above it too.",
	),
	read(
		"github.com/soberhacker/obsidian-telegram-sync/pull/78: ENOENT: no such file or directory, open",
		"create.noParent",
		"create does not make folders: without its parent it throws what the disk says.",
	),
	sourced("rename.collision", 'Renaming to a name that exists throws "Destination file already exists!"'),
	unused(["vault.copy"], "copy.collision", 'So does copying: "Destination file already exists!"'),
	sourced(
		"names.case",
		"The index is case-sensitive and the disk of macOS, Windows and Android is not: create asks the disk.",
	),
	either(
		"names.caseRename",
		"A rename that changes only the case works on every system.",
		"Where the disk folds case, it collides with the file itself.",
	),
	sourced(
		"names.illegal",
		"create and createFolder refuse the system's illegal characters and name them all.",
	),
	sourced("names.linkCharacters", "# ^ [ ] break links and are allowed in file names (not on Android)."),
	either(
		"names.length",
		"A name that is too long is refused by the disk, with its own error.",
		"The error says nothing about the length.",
	),
	sourced(
		"normalizePath",
		"Slashes collapse, no-break spaces become spaces, Unicode is composed; illegal characters stay.",
	),
	sourced(
		"hidden.create",
		"Hidden paths are not indexed: create writes and resolves to null; the adapter lists and reads them.",
	),
	sourced("process.atomic", "process is atomic per file: of 20 concurrent calls all survive."),
	either(
		"process.throw",
		"An error in the callback rejects process and writes nothing; else it resolves to the new text.",
		"It writes nothing, and resolves to the text that was there.",
	),
	unused(
		["vault.append", "adapter.append"],
		"append",
		"Appends are queued like all writes; the adapter's append makes a file that is missing.",
	),
	read(
		"github.com/obsidianmd/obsidian-clipper/issues/577: vault.read gives CRLF as it is on disk",
		"bytes",
		"CRLF and a byte order mark survive read, process and write.",
	),
	either(
		"events.before",
		"create, modify, rename and delete fire before the call's promise resolves, once each.",
		"They fire a third of a second later.",
	),
	either(
		"events.folder",
		"Moving or deleting a folder fires for it and for everything in it.",
		"It fires for the folder alone.",
	),
	either(
		"delete.notEmpty",
		"The adapter's rmdir refuses a folder that is not empty unless it is recursive.",
		"It removes the folder with all that is in it.",
	),
	either(
		"adapter.stat",
		"The adapter's stat is null for what is missing, and read throws.",
		"stat throws too (github.com/joshuakto/fit/pull/184 has seen that).",
	),
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
	typed(
		"trash.folder",
		"A folder goes with everything in it.",
		"Remove a file or a folder from the vault according the user's preferred 'trash' options",
	),
	typed(
		"trash.system",
		"Where there is no system's bin, as on a test machine, it is the vault's .trash.",
		"Tries to move to system trash. If that isn't successful/allowed, use local trash",
		host,
	),
	unused(
		["processFrontMatter"],
		"frontmatter.process",
		"processFrontMatter keeps the body, and writes block style YAML.",
	),
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
	typed(
		"cache.links",
		"resolvedLinks and unresolvedLinks follow notes that come and go.",
		"Called when all files has been resolved. This will be fired each time files get modified after the initial load.",
	),
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
	either(
		"editor.clean",
		"A change on disk under saved text replaces it.",
		"It does so a third of a second later.",
	),
	either(
		"editor.conflict",
		"Where both changed the same lines, the editor's text wins.",
		"What is on disk wins.",
		"test/playground/obsidian/merge.test.ts",
	),
	read(
		"github.com/platers/obsidian-linter/issues/365: each replaceRange is a step of undo",
		"editor.undo",
		"Changes by the Editor interface are in the editor's undo history.",
	),
	sourced(
		"editor.positions",
		"Positions are line and UTF-16 column from 0; beyond the text they are moved to its end.",
	),
	read(
		"github.com/obsidianmd/obsidian-api/issues/28: transaction is there to make one step of many changes",
		"editor.transaction",
		"A transaction is one step of undo; its selection is in the new text.",
	),
	sourced(
		"editor.lineBreaks",
		"An editor holds line feeds alone: the first edit of a note with CRLF makes it one with LF.",
		app,
	),
	either(
		"editor.untouched",
		"Opening and closing a note without an edit writes nothing.",
		"Closing it writes the text once more.",
		app,
	),
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
	unused(["response.json"], "request.lazyJson", ".json is read lazily and can throw."),
	sourced("request.cors", "requestUrl is not bound by CORS; fetch is."),
	guess("request.body", "contentType becomes the header, a text body is UTF-8."),
	either(
		"request.refused",
		"Network failures carry Chromium's names for them.",
		"They carry those of another engine.",
	),
	read(
		"github.com/obsidianmd/obsidian-clipper/issues/46: seen on Fedora",
		"profile.linuxNames",
		"Linux refuses backslash, slash and colon, as macOS does.",
		each,
	),
	either("profile.iosNames", "So does iOS.", "It refuses the slash alone.", each),
	read(
		"learn.microsoft.com/windows/win32/fileio/naming-a-file",
		"profile.windowsNames",
		"Windows refuses device names and names that end with a dot or a space.",
		host,
	),
	read(
		"source.android.com/docs/core/storage; developer.apple.com: APFS is case-sensitive on iOS",
		"profile.folding",
		"Android's disk ignores case; that of iOS does not.",
		each,
	),
	guess(
		"profile.unicode",
		"A name that the disk holds in decomposed form is known by its composed form.",
		host,
	),
];
