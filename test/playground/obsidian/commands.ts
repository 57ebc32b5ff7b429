import type { App } from "./app";
import type { Editor } from "./editor";
import type { MarkdownFileInfo } from "./markdown-view";
import { Platform } from "./platform";
import { compileModifiers, type Modifier } from "./scope";

export interface Hotkey {
	modifiers: Modifier[];
	key: string;
}

export interface Command {
	id: string;
	name: string;
	icon?: string;
	mobileOnly?: boolean;
	repeatable?: boolean;
	callback?: () => unknown;
	checkCallback?: (checking: boolean) => boolean | void;
	editorCallback?: (editor: Editor, ctx: MarkdownFileInfo) => unknown;
	editorCheckCallback?: (checking: boolean, editor: Editor, ctx: MarkdownFileInfo) => boolean | void;
	hotkeys?: Hotkey[];
}

/** `app.commands`: not in the public typings, but what plugins and people use to run a command by its id. */
export class Commands {
	commands: Record<string, Command> = {};
	editorCommands: Record<string, Command> = {};

	constructor(private readonly app: App) {}

	addCommand(command: Command): void {
		this.commands[command.id] = command;
		if (command.editorCallback || command.editorCheckCallback) this.editorCommands[command.id] = command;
		for (const { modifiers, key } of command.hotkeys ?? [])
			this.app.scope.register(modifiers, key, () =>
				this.executeCommandById(command.id) ? false : undefined,
			);
	}

	removeCommand(id: string): void {
		delete this.commands[id];
		delete this.editorCommands[id];
	}

	findCommand(id: string): Command | undefined {
		return this.commands[id];
	}

	/** Those that would run now. */
	listCommands(): Command[] {
		return Object.values(this.commands).filter((command) => this.isAvailable(command));
	}

	/** False where there is no such command, or its check says no. True does not mean that its work is done. */
	executeCommandById(id: string): boolean {
		const command = this.commands[id];
		return command !== undefined && this.executeCommand(command);
	}

	executeCommand(command: Command): boolean {
		if (!this.isAvailable(command)) return false;
		const info = this.app.workspace.activeEditor;
		if (info?.editor && command.editorCheckCallback) command.editorCheckCallback(false, info.editor, info);
		else if (info?.editor && command.editorCallback) command.editorCallback(info.editor, info);
		else if (command.checkCallback) command.checkCallback(false);
		else command.callback?.();
		return true;
	}

	private isAvailable(command: Command): boolean {
		if (command.mobileOnly && !Platform.isMobile) return false;
		const info = this.app.workspace.activeEditor;
		if (command.editorCheckCallback && info?.editor)
			return command.editorCheckCallback(true, info.editor, info) === true;
		if (command.editorCallback && info?.editor) return true;
		if (command.checkCallback) return command.checkCallback(true) === true;
		return command.callback !== undefined;
	}
}

/** A hotkey as people read it. */
export function showHotkey({ modifiers, key }: Hotkey): string {
	const names = compileModifiers(modifiers)
		.split(",")
		.filter((name) => name !== "");
	return [...names, key.length === 1 ? key.toUpperCase() : key].join(Platform.isMacOS ? " " : "+");
}
