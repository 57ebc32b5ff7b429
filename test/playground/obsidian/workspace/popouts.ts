/**
 * Popout windows: documents of their own, drawn by the same scripts. What is in them was made in the main window's
 * document and moved over.
 */
import { Platform } from "../platform";
import { WorkspaceWindow } from "./containers";
import type { Workspace } from "./workspace";

export interface WorkspaceWindowInitData {
	x?: number;
	y?: number;
	size?: { width: number; height: number };
}

/** Opens an empty popout window, and tells plugins. Throws where the app has none: on phones. */
export function openPopout(workspace: Workspace, data: WorkspaceWindowInitData = {}): WorkspaceWindow {
	if (!Platform.canPopoutWindow) throw new Error("Popout windows are not supported here.");
	const { width, height } = data.size ?? { width: 800, height: 700 };
	const place = [`width=${width}`, `height=${height}`];
	if (data.x !== undefined) place.push(`left=${data.x}`);
	if (data.y !== undefined) place.push(`top=${data.y}`);
	const win = window.open("about:blank", "_blank", `popup,${place.join(",")}`);
	if (!win) throw new Error("The browser has not opened a window: allow this page to open some.");
	equip(win);
	dress(win.document);
	const popout = new WorkspaceWindow(workspace, win);
	popout.parent = workspace.floatingSplit;
	workspace.floatingSplit.children.push(popout);
	win.document.body.append(popout.containerEl);
	followFocus(win);
	win.addEventListener("pagehide", () => closePopout(workspace, popout));
	workspace.trigger("window-open", popout, win);
	return popout;
}

/** Closes a window with all that is in it, and tells plugins, once. */
export function closePopout(workspace: Workspace, popout: WorkspaceWindow): void {
	const { windows } = workspace.floatingSplit;
	if (!windows.includes(popout)) return;
	workspace.floatingSplit.children = windows.filter((one) => one !== popout);
	popout.eachLeaf((leaf) => leaf.detach());
	if (activeWindow === popout.win) activate(window);
	workspace.trigger("window-close", popout, popout.win);
	popout.win.close();
}

/** The helpers that the app gives to every window: elements that are made there are of its own classes. */
function equip(win: Window): void {
	for (const name of ["Node", "Element", "HTMLElement", "SVGElement", "DocumentFragment", "UIEvent"]) {
		const from = (window as unknown as Record<string, { prototype: object }>)[name]?.prototype ?? {};
		const to = (win as unknown as Record<string, { prototype: object }>)[name]?.prototype ?? {};
		for (const [member, property] of Object.entries(Object.getOwnPropertyDescriptors(from)))
			if (!(member in to)) Object.defineProperty(to, member, property);
	}
}

/** The look of the main window, as far as it is there by now. */
function dress(page: Document): void {
	page.title = document.title;
	for (const sheet of document.querySelectorAll("style, link[rel=stylesheet]"))
		page.head.append(page.importNode(sheet, true));
	page.body.className = document.body.className;
	page.body.classList.add("is-popout-window");
}

/** Keeps `activeWindow` and `activeDocument` at the window that has the focus. */
export function followFocus(win: Window): void {
	win.addEventListener("focus", () => activate(win));
}

function activate(win: Window): void {
	Object.assign(window, { activeWindow: win, activeDocument: win.document });
}
