/** Open notes, commands, secrets, and the workspace. */
import type { App, Command, MarkdownView, TFile, WorkspaceLeaf } from "obsidian";
import { equal, make, ok, until, type ContractCase, type ContractHost } from "./host";

interface Commands {
	addCommand(command: Command): void;
	removeCommand(id: string): void;
	executeCommandById(id: string): boolean;
}

function commandsOf(app: App): Commands {
	return (app as unknown as { commands: Commands }).commands;
}

/** Opens the note in a tab of its own and closes it afterwards. */
async function opened(
	host: ContractHost,
	file: TFile,
	work: (view: MarkdownView, leaf: WorkspaceLeaf) => Promise<void>,
): Promise<void> {
	const leaf = host.app.workspace.getLeaf("tab");
	await leaf.openFile(file, { active: true });
	const { view } = leaf;
	if (!(view instanceof host.obsidian.MarkdownView)) throw new Error("the note is not in a Markdown view");
	try {
		await work(view, leaf);
	} finally {
		await view.save();
		leaf.detach();
	}
}

export const editorCases: ContractCase[] = [
	{
		behaviour: "editor.unsaved",
		async run(host) {
			const file = await make(host, "a.md", "one\n");
			await opened(host, file, async (view) => {
				view.editor.replaceRange("two\n", { line: 1, ch: 0 });
				equal(await host.app.vault.read(file), "one\n", "right after typing");
				equal(view.editor.getValue(), "one\ntwo\n");
				await until(async () => (await host.app.vault.read(file)) === "one\ntwo\n", "the editor has saved");
			});
		},
	},
	{
		behaviour: "editor.external",
		async run(host) {
			const file = await make(host, "a.md", "one\ntwo\nthree\n");
			await opened(host, file, async (view) => {
				view.editor.replaceRange("typed ", { line: 2, ch: 0 });
				await host.app.vault.process(file, (text) => text.replace("one", "ONE"));
				await until(
					() => view.editor.getValue() === "ONE\ntwo\ntyped three\n",
					"both edits are in the editor",
				);
				await until(
					async () => (await host.app.vault.read(file)) === "ONE\ntwo\ntyped three\n",
					"and on disk",
				);
			});
		},
	},
	{
		behaviour: "editor.clean",
		async run(host) {
			const file = await make(host, "a.md", "one\n");
			await opened(host, file, async (view) => {
				await host.app.vault.process(file, (text) => `${text}two\n`);
				await until(() => view.editor.getValue() === "one\ntwo\n", "the editor shows the new text");
			});
		},
	},
	{
		behaviour: "editor.undo",
		async run(host) {
			const file = await make(host, "a.md", "one two\n");
			await opened(host, file, async ({ editor }) => {
				editor.setSelection({ line: 0, ch: 0 }, { line: 0, ch: 3 });
				editor.replaceSelection("ONE");
				equal(editor.getValue(), "ONE two\n");
				editor.undo();
				equal([editor.getValue(), editor.getSelection()], ["one two\n", "one"]);
				editor.redo();
				equal(editor.getValue(), "ONE two\n");
			});
		},
	},
	{
		behaviour: "editor.positions",
		async run(host) {
			const file = await make(host, "a.md", "ab\n😀c\n\nend");
			await opened(host, file, async ({ editor }) => {
				equal([editor.lineCount(), editor.lastLine()], [4, 3]);
				equal(editor.offsetToPos(6), { line: 1, ch: 3 });
				equal(editor.posToOffset({ line: 1, ch: 2 }), 5);
				equal(editor.posToOffset({ line: 99, ch: 0 }), editor.getValue().length);
				editor.setCursor({ line: 1, ch: 99 });
				equal(editor.getCursor(), { line: 1, ch: 3 });
				equal(editor.getRange({ line: 0, ch: 1 }, { line: 1, ch: 2 }), "b\n😀");
				equal(editor.wordAt({ line: 3, ch: 1 }), { from: { line: 3, ch: 0 }, to: { line: 3, ch: 3 } });
			});
		},
	},
	{
		behaviour: "editor.transaction",
		async run(host) {
			const file = await make(host, "a.md", "one\ntwo\n");
			await opened(host, file, async ({ editor }) => {
				editor.transaction({
					changes: [
						{ text: "1", from: { line: 0, ch: 0 }, to: { line: 0, ch: 3 } },
						{ text: "2", from: { line: 1, ch: 0 }, to: { line: 1, ch: 3 } },
					],
					selection: { from: { line: 1, ch: 1 } },
				});
				equal([editor.getValue(), editor.getCursor()], ["1\n2\n", { line: 1, ch: 1 }]);
				editor.undo();
				equal(editor.getValue(), "one\ntwo\n", "one transaction is one step of undo");
			});
		},
	},
	{
		behaviour: "workspace.active",
		async run(host) {
			const { workspace } = host.app;
			const file = await make(host, "a.md", "text");
			await opened(host, file, async (view, leaf) => {
				equal(
					workspace.getActiveViewOfType(host.obsidian.MarkdownView) === view,
					true,
					"the note's view is active",
				);
				equal(workspace.getActiveFile()?.path, file.path);
				const side = workspace.getRightLeaf(false);
				if (!side) throw new Error("there is no right sidebar");
				workspace.setActiveLeaf(side, { focus: false });
				equal(workspace.getActiveViewOfType(host.obsidian.MarkdownView), null, "a sidebar is active");
				equal(workspace.getActiveFile()?.path, file.path, "the file last active");
				side.detach();
				workspace.setActiveLeaf(leaf, { focus: false });
			});
		},
	},
	{
		behaviour: "workspace.layoutReady",
		async run({ app }) {
			let called = false;
			app.workspace.onLayoutReady(() => (called = true));
			ok(called, "the callback runs at once when the layout is ready");
		},
	},
	{
		behaviour: "commands.run",
		async run({ app }) {
			const commands = commandsOf(app);
			equal(commands.executeCommandById("contract:none"), false, "an unknown command");
			let runs = 0;
			let available = false;
			commands.addCommand({
				id: "contract:checked",
				name: "Contract: checked",
				checkCallback: (checking) => {
					if (available && !checking) runs++;
					return available;
				},
			});
			try {
				equal([commands.executeCommandById("contract:checked"), runs], [false, 0], "its check says no");
				available = true;
				equal([commands.executeCommandById("contract:checked"), runs], [true, 1], "its check says yes");
			} finally {
				commands.removeCommand("contract:checked");
			}
		},
	},
	{
		behaviour: "secrets",
		async run({ app }) {
			const { secretStorage } = app;
			equal(secretStorage.getSecret("contract-none"), null);
			secretStorage.setSecret("contract-test", "value");
			equal(secretStorage.getSecret("contract-test"), "value");
			ok(secretStorage.listSecrets().includes("contract-test"), "it is listed");
			let refused = false;
			try {
				secretStorage.setSecret("Not Valid", "x");
			} catch {
				refused = true;
			}
			ok(refused, "an id with capitals and a space is refused");
			ok(!("deleteSecret" in secretStorage), "there is no way to delete");
		},
	},
	{
		behaviour: "localStorage",
		async run({ app }) {
			app.saveLocalStorage("contract", { a: 1 });
			equal(app.loadLocalStorage("contract"), { a: 1 });
			app.saveLocalStorage("contract", null);
			equal(app.loadLocalStorage("contract"), null);
		},
	},
];
