/** The app's own commands. */
import { TFile } from "../obsidian/files";
import type { App } from "../obsidian/app";
import type { Editor } from "../obsidian/editor";
import { MarkdownView } from "../obsidian/markdown-view";
import { Notice } from "../obsidian/notice";
import { joinPath } from "../obsidian/paths";
import { CommandPalette, promptForName, QuickSwitcher } from "./palette";

/** Registers them all. */
export function addAppCommands(app: App): void {
	const { commands, workspace } = app;
	commands.addCommand({
		id: "command-palette:open",
		name: "Command palette: Open command palette",
		icon: "terminal",
		hotkeys: [{ modifiers: ["Mod"], key: "P" }],
		callback: () => new CommandPalette(app).open(),
	});
	commands.addCommand({
		id: "switcher:open",
		name: "Quick switcher: Open quick switcher",
		icon: "file-search",
		hotkeys: [{ modifiers: ["Mod"], key: "O" }],
		callback: () => new QuickSwitcher(app).open(),
	});
	commands.addCommand({
		id: "app:open-settings",
		name: "Open settings",
		icon: "settings",
		hotkeys: [{ modifiers: ["Mod"], key: "," }],
		callback: () => app.setting.open(),
	});
	commands.addCommand({
		id: "app:toggle-left-sidebar",
		name: "Toggle left sidebar",
		icon: "panel-left",
		callback: () => workspace.leftSplit.toggle(),
	});
	commands.addCommand({
		id: "app:toggle-right-sidebar",
		name: "Toggle right sidebar",
		icon: "panel-right",
		callback: () => workspace.rightSplit.toggle(),
	});
	commands.addCommand({
		id: "theme:use-dark",
		name: "Use dark mode",
		icon: "moon",
		callback: () => app.setTheme("obsidian"),
	});
	commands.addCommand({
		id: "theme:use-light",
		name: "Use light mode",
		icon: "sun",
		callback: () => app.setTheme("moonstone"),
	});
	commands.addCommand({
		id: "theme:toggle-light-dark",
		name: "Toggle light/dark mode",
		icon: "sun-moon",
		callback: () => app.setTheme(app.isDarkMode() ? "moonstone" : "obsidian"),
	});
	commands.addCommand({
		id: "app:reload",
		name: "Reload app without saving",
		icon: "refresh-cw",
		callback: () => location.reload(),
	});
	addFileCommands(app);
	addEditorCommands(app);
}

function addFileCommands(app: App): void {
	const { commands, workspace } = app;
	const withFile =
		(run: (file: TFile) => unknown) =>
		(checking: boolean): boolean => {
			const file = workspace.getActiveFile();
			if (file && !checking) run(file);
			return file !== null;
		};
	const newNote = async (pane: "tab" | false): Promise<void> => {
		const folder = app.fileManager.getNewFileParent(workspace.getActiveFile()?.path ?? "");
		const path = app.vault.getAvailablePath(joinPath(folder.path, "Untitled"), "md");
		await workspace.getLeaf(pane).openFile(await app.vault.create(path, ""));
	};
	commands.addCommand({
		id: "file-explorer:new-file",
		name: "Create new note",
		icon: "square-pen",
		hotkeys: [{ modifiers: ["Mod"], key: "N" }],
		callback: () => void newNote(false),
	});
	commands.addCommand({
		id: "file-explorer:new-file-in-new-pane",
		name: "Create note to the right",
		icon: "square-pen",
		callback: () => void newNote("tab"),
	});
	commands.addCommand({
		id: "app:delete-file",
		name: "Delete current file",
		icon: "trash-2",
		checkCallback: withFile((file) => void app.fileManager.promptForDeletion(file)),
	});
	commands.addCommand({
		id: "workspace:edit-file-title",
		name: "Rename file",
		icon: "pencil",
		checkCallback: withFile((file) => void renameFile(app, file)),
	});
	commands.addCommand({
		id: "workspace:close",
		name: "Close current tab",
		icon: "x",
		hotkeys: [{ modifiers: ["Mod"], key: "W" }],
		callback: () => workspace.activeLeaf?.detach(),
	});
	commands.addCommand({
		id: "workspace:new-tab",
		name: "New tab",
		icon: "plus",
		hotkeys: [{ modifiers: ["Mod"], key: "T" }],
		callback: () => workspace.setActiveLeaf(workspace.getLeaf("tab"), { focus: true }),
	});
	commands.addCommand({
		id: "workspace:split-vertical",
		name: "Split right",
		icon: "columns-2",
		callback: () => void splitRight(app),
	});
	commands.addCommand({
		id: "workspace:copy-path",
		name: "Copy file path",
		icon: "copy",
		checkCallback: withFile((file) => void navigator.clipboard.writeText(file.path)),
	});
}

async function renameFile(app: App, file: TFile): Promise<void> {
	const name = await promptForName(app, "New name", file.basename);
	if (name === null || name === file.basename) return;
	const suffix = file.extension === "" ? "" : `.${file.extension}`;
	try {
		await app.fileManager.renameFile(file, joinPath(file.parent?.path ?? "/", name + suffix));
	} catch (error) {
		new Notice(error instanceof Error ? error.message : String(error));
	}
}

async function splitRight(app: App): Promise<void> {
	const recent = app.workspace.getMostRecentLeaf();
	if (recent) await app.workspace.duplicateLeaf(recent, "vertical");
}

function addEditorCommands(app: App): void {
	const { commands } = app;
	const toggleMark =
		(mark: string) =>
		(editor: Editor): void => {
			const selected = editor.getSelection();
			const marked =
				selected.startsWith(mark) && selected.endsWith(mark) && selected.length >= mark.length * 2;
			editor.replaceSelection(marked ? selected.slice(mark.length, -mark.length) : mark + selected + mark);
		};
	commands.addCommand({
		id: "editor:toggle-bold",
		name: "Toggle bold",
		icon: "bold",
		hotkeys: [{ modifiers: ["Mod"], key: "B" }],
		editorCallback: toggleMark("**"),
	});
	commands.addCommand({
		id: "editor:toggle-italics",
		name: "Toggle italic",
		icon: "italic",
		hotkeys: [{ modifiers: ["Mod"], key: "I" }],
		editorCallback: toggleMark("*"),
	});
	commands.addCommand({
		id: "editor:toggle-checklist-status",
		name: "Toggle checkbox status",
		icon: "check-square",
		editorCallback: (editor) =>
			editor.processLines(
				(_line, text) => text,
				(line, text) => ({ from: { line, ch: 0 }, to: { line, ch: text.length }, text: toggleTask(text) }),
			),
	});
	commands.addCommand({
		id: "editor:focus",
		name: "Focus on last note",
		icon: "text-cursor",
		callback: () => focusNote(app),
	});
	commands.addCommand({
		id: "editor:save-file",
		name: "Save current file",
		icon: "save",
		hotkeys: [{ modifiers: ["Mod"], key: "S" }],
		checkCallback: (checking) => withNote(app, checking, (view) => void view.save()),
	});
	commands.addCommand({
		id: "markdown:toggle-preview",
		name: "Toggle reading view",
		icon: "book-open",
		hotkeys: [{ modifiers: ["Mod"], key: "E" }],
		checkCallback: (checking) => withNote(app, checking, (view) => void view.toggleMode()),
	});
	commands.addCommand({
		id: "editor:open-search",
		name: "Search current file",
		icon: "search",
		hotkeys: [{ modifiers: ["Mod"], key: "F" }],
		checkCallback: (checking) => withNote(app, checking, (view) => view.showSearch()),
	});
}

function withNote(app: App, checking: boolean, run: (view: MarkdownView) => void): boolean {
	const view = app.workspace.getActiveViewOfType(MarkdownView);
	if (view && !checking) run(view);
	return view !== null;
}

function focusNote(app: App): void {
	const leaf = app.workspace.getMostRecentLeaf();
	if (leaf) app.workspace.setActiveLeaf(leaf, { focus: true });
}

function toggleTask(line: string): string {
	if (/^\s*[-*+] \[ \]/.test(line)) return line.replace("[ ]", "[x]");
	if (/^\s*[-*+] \[.\]/.test(line)) return line.replace(/\[.\]/, "[ ]");
	return line.replace(/^(\s*)(?:[-*+] )?/, "$1- [ ] ");
}
