// The DOM helpers that the app puts on every element, for the development page.

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
