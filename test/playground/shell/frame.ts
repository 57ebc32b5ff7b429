/** The window around the workspace. */
import { nameElement } from "../obsidian/accessible-name";
import { setIcon } from "../obsidian/icons";
import type { Profile } from "../shared/profiles";

/** Draws it and sets the classes of the system on the body. */
export function drawFrame(profile: Profile): { frameEl: HTMLElement; mainEl: HTMLElement } {
	const { body } = document;
	body.empty();
	body.addClass("theme-dark", "show-inline-title", "show-ribbon", "show-view-header");
	const systems = {
		linux: "mod-linux",
		mac: "mod-macos",
		win: "mod-windows",
		android: "is-android",
		ios: "is-ios",
	};
	body.addClass(systems[profile.name]);
	if (profile.mobile) body.addClass("is-mobile", "is-phone");
	const frameEl = body.createDiv("app-container");
	const mainEl = frameEl.createDiv("horizontal-main-container");
	if (profile.mobile) drawMobileBar(frameEl);
	return { frameEl, mainEl };
}

/** The bar at the foot of a phone: drawers, new note, palette. */
function drawMobileBar(frameEl: HTMLElement): void {
	const bar = frameEl.createDiv({
		cls: "mobile-navbar",
		attr: { role: "toolbar" },
	});
	nameElement(bar, "Navigation");
	for (const [icon, label, command] of [
		["panel-left", "Open left drawer", "app:toggle-left-sidebar"],
		["square-pen", "New note", "file-explorer:new-file"],
		["terminal", "Command palette", "command-palette:open"],
		["settings", "Settings", "app:open-settings"],
		["panel-right", "Open right drawer", "app:toggle-right-sidebar"],
	] as const) {
		const button = bar.createEl("button", {
			cls: "clickable-icon mobile-navbar-action",
			attr: { type: "button", "aria-label": label },
		});
		setIcon(button, icon);
		button.addEventListener("click", () => window.app.commands.executeCommandById(command));
	}
}
