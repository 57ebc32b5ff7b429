// The few functions of the app that the panel's parts use, for the development
// page: its shell, and the DOM helpers that the app puts on every element.

import { entry, Narrowing } from "../text/fuzzy";
import type { MenuEntry, Named, Preferences, Selected, Shell } from "../panel/shell";

interface Info {
	cls?: string;
	text?: string;
	attr?: Record<string, string>;
}

function make(parent: Node | null, tag: string, info: Info = {}): HTMLElement {
	const el = document.createElement(tag);
	if (info.cls) el.className = info.cls;
	if (info.text !== undefined) el.textContent = info.text;
	for (const [name, value] of Object.entries(info.attr ?? {})) el.setAttribute(name, value);
	parent?.appendChild(el);
	return el;
}

/** Puts the app's DOM helpers, as far as the panel uses them, where the app puts them. */
export function installHelpers(): void {
	const helpers = {
		createDiv(this: HTMLElement, info?: Info) {
			return make(this, "div", info);
		},
		createSpan(this: HTMLElement, info?: Info) {
			return make(this, "span", info);
		},
		createEl(this: HTMLElement, tag: string, info?: Info) {
			return make(this, tag, info);
		},
		setText(this: HTMLElement, text: string) {
			this.textContent = text;
		},
		setCssProps(this: HTMLElement, props: Record<string, string>) {
			for (const [name, value] of Object.entries(props)) this.style.setProperty(name, value);
		},
	};
	for (const [name, value] of Object.entries(helpers)) {
		Object.defineProperty(HTMLElement.prototype, name, { value, configurable: true });
	}
	Object.defineProperty(Node.prototype, "instanceOf", {
		value(this: Node, type: new () => unknown) {
			return this instanceof type;
		},
		configurable: true,
	});
	Object.defineProperty(Document.prototype, "win", {
		get(this: Document) {
			return this.defaultView;
		},
		configurable: true,
	});
	Object.defineProperty(HTMLElement.prototype, "doc", {
		get(this: HTMLElement) {
			return this.ownerDocument;
		},
		configurable: true,
	});
	Object.assign(window, {
		createDiv: (info?: Info) => make(null, "div", info),
		createEl: (tag: string, info?: Info) => make(null, tag, info),
	});
}

/** What the panel asked of the app, for tests. */
export interface Heard {
	opened: string[];
	notices: string[];
	copied: string[];
	settings: number;
	menu: MenuEntry[];
	/** What was written into the note, and where. */
	written: [text: string, where: string][];
	/** Addresses that were opened outside. */
	browsed: string[];
}

/** A shell that remembers what it was asked for. */
export class DevShell implements Shell {
	readonly heard: Heard = {
		opened: [],
		notices: [],
		copied: [],
		settings: 0,
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
	/** What the device remembers: of this page's session, so that a reload has it too. */
	readonly memory = sessionStorage;

	constructor(
		readonly mobile: boolean,
		private readonly icons: Record<string, string>,
	) {}

	icon(el: HTMLElement, name: string): void {
		const svg = this.icons[name];
		if (svg === undefined) throw new Error(`there is no icon ${name}`);
		el.insertAdjacentHTML("beforeend", svg);
	}

	open(path: string): void {
		this.heard.opened.push(path);
	}

	follow(link: string): boolean {
		this.heard.opened.push(link);
		return true;
	}

	browse(address: string): void {
		this.heard.browsed.push(address);
	}

	openSettings(): void {
		this.heard.settings++;
	}

	menu(_event: MouseEvent, entries: MenuEntry[]): void {
		this.heard.menu = entries;
	}

	notice(text: string): void {
		this.heard.notices.push(text);
	}

	copy(text: string): Promise<void> {
		this.heard.copied.push(text);
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

	write(text: string, where: "cursor" | "selection"): boolean {
		this.heard.written.push([text, where]);
		return this.note !== "";
	}
}
