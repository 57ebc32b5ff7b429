import { ItemView } from "../view";
import type { WorkspaceLeaf } from "./leaf";

/** Stands where a view's plugin is not there. */
export class UnknownView extends ItemView {
	override icon = "help-circle";

	constructor(
		leaf: WorkspaceLeaf,
		private readonly type: string,
	) {
		super(leaf);
	}

	private state: Record<string, unknown> = {};

	getViewType(): string {
		return this.type;
	}

	getDisplayText(): string {
		return "Plugin no longer active";
	}

	override getState(): Record<string, unknown> {
		return this.state;
	}

	override async setState(state: unknown): Promise<void> {
		this.state = { ...(state as Record<string, unknown>) };
	}

	protected override async onOpen(): Promise<void> {
		this.contentEl.createDiv({ cls: "empty-state", text: `No plugin provides the view "${this.type}" now.` });
	}
}
