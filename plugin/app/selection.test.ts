import type { Workspace } from "obsidian";
import { expect, test } from "vitest";
import { watchSelection } from "./selection";

/** A window with a document, as far as a selection goes. */
const page = () => ({ document: new EventTarget() });

type Callback = (...args: unknown[]) => void;

/** A workspace with one window, and with popouts that are open already. */
function workspaceWith(main: EventTarget, popouts: EventTarget[]) {
	const listeners = new Map<string, Set<Callback>>();
	const workspace = {
		containerEl: { ownerDocument: main },
		iterateAllLeaves: (each: (leaf: unknown) => void) =>
			[main, ...popouts].forEach((ownerDocument) => each({ view: { containerEl: { ownerDocument } } })),
		on: (name: string, callback: Callback) => {
			listeners.set(name, (listeners.get(name) ?? new Set()).add(callback));
			return { name, callback };
		},
		offref: ({ name, callback }: { name: string; callback: Callback }) =>
			listeners.get(name)?.delete(callback),
	};
	return {
		workspace: workspace as unknown as Workspace,
		tell: (name: string, ...args: unknown[]) => listeners.get(name)?.forEach((callback) => callback(...args)),
	};
}

test("a selection is seen in the main window, in popouts that were open, and in those that open later", () => {
	const [main, early, late] = [page(), page(), page()];
	const { workspace, tell } = workspaceWith(main.document, [early.document]);
	let seen = 0;
	const end = watchSelection(workspace, () => seen++);
	const selectIn = ({ document }: { document: EventTarget }) => {
		const before = seen;
		document.dispatchEvent(new Event("selectionchange"));
		return seen - before;
	};
	expect([main, early, late].map(selectIn)).toEqual([1, 1, 0]);
	tell("window-open", {}, late);
	expect([main, early, late].map(selectIn)).toEqual([1, 1, 1]);
	const before = seen;
	tell("window-close", {}, early);
	expect(seen).toBe(before + 1); // another note is in front
	expect([main, early, late].map(selectIn)).toEqual([1, 0, 1]);
	end();
	expect([main, early, late].map(selectIn)).toEqual([0, 0, 0]);
	const last = seen;
	tell("active-leaf-change");
	tell("window-open", {}, early);
	expect(seen).toBe(last);
	expect(selectIn(early)).toBe(0);
});
