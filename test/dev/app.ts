// The app as the development page has it, for tests of the panel.

import type { AppPort, Choice, MenuEntry, Named, Preferences, Selected } from "../../plugin/app/port";
import { coreSettings, firstRun } from "../../plugin/data";
import type { Problem, Settings } from "../../plugin/protocol";
import { entry, Narrowing } from "../../plugin/text/fuzzy";

/** What the panel asked of the app, for tests. */
export interface Heard {
	opened: string[];
	notices: string[];
	copied: string[];
	/** What of that was rich text, too. */
	rich: string[];
	settings: number;
	/** How many tabs with the review are open. */
	reviews: number;
	/** How often the app's list of plugins was opened. */
	communityPlugins: number;
	/** What was last offered to pick from. */
	offered: readonly Choice[];
	menu: MenuEntry[];
	/** What was written into the note, and where. */
	written: [text: string, where: string][];
	/** Addresses that were opened outside. */
	browsed: string[];
}

/** An app that remembers what it was asked for; what is picked, a test says. */
export class DevApp implements AppPort {
	readonly heard: Heard = {
		opened: [],
		notices: [],
		copied: [],
		rich: [],
		settings: 0,
		reviews: 0,
		communityPlugins: 0,
		offered: [],
		menu: [],
		written: [],
		browsed: [],
	};
	selected: Selected | null = null;
	/** The active note. */
	note = "";
	/** What can be named. */
	names: Named[] = [];
	prefers: Preferences = { provider: "openai", model: "gpt-5.2", enterBreaks: false };
	/** What the device remembers: of this page, so that a reload has it too. */
	readonly memory = sessionStorage;
	/** What the core refuses the next change of the settings with. */
	refuse: Problem | null = null;
	private kept = coreSettings(firstRun);
	private chosen: (value: string) => void = () => undefined;

	constructor(
		readonly mobile: boolean,
		private readonly icons: Record<string, string>,
	) {}

	icon(el: HTMLElement, name: string): void {
		const svg = this.icons[name];
		if (svg === undefined) throw new Error(`there is no icon ${name}`);
		el.insertAdjacentHTML("beforeend", svg);
	}

	iconNames(): readonly string[] {
		return ["play", "list", "folder"];
	}

	open(path: string): void {
		this.heard.opened.push(path);
	}

	show(path: string, line: number): boolean {
		this.heard.opened.push(line > 0 ? `${path}:${line}` : path);
		return true;
	}

	follow(link: string): boolean {
		this.heard.opened.push(link);
		return true;
	}

	browse(address: string): void {
		this.heard.browsed.push(address);
	}

	openReview(): void {
		this.heard.reviews++;
	}

	closeReview(): void {
		this.heard.reviews--;
	}

	openSettings(): void {
		this.heard.settings++;
	}

	openCommunityPlugins(): void {
		this.heard.communityPlugins++;
	}

	menu(_event: MouseEvent, entries: MenuEntry[]): void {
		this.heard.menu = entries;
	}

	choose(_hint: string, choices: readonly Choice[], chosen: (value: string) => void): void {
		this.heard.offered = choices;
		this.chosen = chosen;
	}

	/** Picks one of what was offered. */
	pick(value: string): void {
		if (!this.heard.offered.some((c) => c.value === value)) throw new Error(`${value} is not offered`);
		this.chosen(value);
	}

	notice(text: string): void {
		this.heard.notices.push(text);
	}

	copy(text: string, html?: string): Promise<void> {
		this.heard.copied.push(text);
		if (html !== undefined) this.heard.rich.push(html);
		return Promise.resolve();
	}

	download(): void {}

	selection(): Selected | null {
		return this.selected;
	}

	watchSelection(): () => void {
		return () => undefined;
	}

	suggest(): void {}

	remembered(what: string): string {
		return this.memory.getItem(what) ?? "";
	}

	remember(what: string, text: string): void {
		this.memory.setItem(what, text);
	}

	preferences(): Preferences {
		return this.prefers;
	}

	settings(): Settings {
		return this.kept;
	}

	changeSettings(fields: Partial<Settings>): Promise<Problem | null> {
		if (!this.refuse) this.kept = { ...this.kept, ...fields };
		return Promise.resolve(this.refuse);
	}

	active(): string {
		return this.note;
	}

	async find(text: string): Promise<Named[] | null> {
		const entries = this.names.map((n) => entry(n.kind === "folder" ? "folder" : "note", n.path + n.name));
		const turns = { now: () => performance.now(), pause: () => Promise.resolve() };
		const found = await new Narrowing(entries, turns).find(text, 12);
		return found && this.names.filter((n) => found.some((e) => e.path === n.path + n.name));
	}

	namedBy(text: string): Named[] {
		return this.names.filter((n) => text === `[[${n.path}]]`);
	}

	imageUrl(path: string): string {
		return `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>${path}</title><rect width="9" height="9" fill="green"/></svg>`;
	}

	write(text: string, where: "cursor" | "selection", path = this.note): boolean {
		if (this.note === "" || path !== this.note) return false;
		this.heard.written.push([text, where]);
		return true;
	}
}
