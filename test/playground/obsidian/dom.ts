/** Obsidian's additions to the DOM and to built-in prototypes; plugins use them everywhere. */
import "./dom-types";

type ClassList = string | string[] | undefined;

function define(target: object, members: Record<string, unknown>): void {
	for (const [name, value] of Object.entries(members))
		Object.defineProperty(target, name, { configurable: true, writable: true, enumerable: false, value });
}

function defineGetter(target: object, name: string, get: (this: never) => unknown): void {
	Object.defineProperty(target, name, { configurable: true, enumerable: false, get: get });
}

function addClasses(el: Element, cls: ClassList): void {
	if (!cls) return;
	const names = typeof cls === "string" ? cls.split(" ") : cls;
	el.classList.add(...names.filter((name) => name !== ""));
}

function place(el: Element, parent: Node | null | undefined, prepend: boolean | undefined): void {
	if (!parent) return;
	if (prepend) parent.insertBefore(el, parent.firstChild);
	else parent.appendChild(el);
}

function make(
	doc: Document,
	tag: string,
	o: DomElementInfo | string | undefined,
	parent: Node | null,
): HTMLElement {
	const el = doc.createElement(tag);
	const info: DomElementInfo = typeof o === "string" ? { cls: o } : (o ?? {});
	addClasses(el, info.cls);
	if (info.text !== undefined) el.setText(info.text);
	if (info.attr) el.setAttrs(info.attr);
	if (info.title !== undefined) el.title = info.title;
	if (info.value !== undefined) (el as HTMLInputElement).value = info.value;
	if (info.type !== undefined) el.setAttribute("type", info.type);
	if (info.placeholder !== undefined) (el as HTMLInputElement).placeholder = info.placeholder;
	if (info.href !== undefined) el.setAttribute("href", info.href);
	place(el, info.parent ?? parent, info.prepend);
	return el;
}

function makeSvg(
	doc: Document,
	tag: string,
	o: SvgElementInfo | string | undefined,
	parent: Node | null,
): SVGElement {
	const el = doc.createElementNS<"svg">("http://www.w3.org/2000/svg", tag as "svg");
	const info: SvgElementInfo = typeof o === "string" ? { cls: o } : (o ?? {});
	addClasses(el, info.cls);
	if (info.attr) el.setAttrs(info.attr);
	place(el, info.parent ?? parent, info.prepend);
	return el;
}

type Callback = ((el: Element) => void) | undefined;

const nodeMembers = {
	detach(this: ChildNode) {
		this.remove();
	},
	empty(this: Node) {
		while (this.lastChild) this.removeChild(this.lastChild);
	},
	insertAfter(this: Node, node: Node, child: Node | null) {
		return this.insertBefore(node, child ? child.nextSibling : this.firstChild);
	},
	indexOf(this: Node, other: Node) {
		return Array.prototype.indexOf.call(this.childNodes, other);
	},
	setChildrenInPlace(this: Element, children: Node[]) {
		this.replaceChildren(...children);
	},
	appendText(this: Node, text: string) {
		this.appendChild(document.createTextNode(text));
	},
	instanceOf(this: Node, type: new () => unknown) {
		return this instanceof type;
	},
	createEl(this: Node, tag: string, o?: DomElementInfo | string, callback?: Callback) {
		const el = make(this.ownerDocument ?? document, tag, o, this);
		callback?.(el);
		return el;
	},
	createDiv(this: Node, o?: DomElementInfo | string, callback?: Callback) {
		const el = make(this.ownerDocument ?? document, "div", o, this);
		callback?.(el);
		return el;
	},
	createSpan(this: Node, o?: DomElementInfo | string, callback?: Callback) {
		const el = make(this.ownerDocument ?? document, "span", o, this);
		callback?.(el);
		return el;
	},
	createSvg(this: Node, tag: string, o?: SvgElementInfo | string, callback?: Callback) {
		const el = makeSvg(this.ownerDocument ?? document, tag, o, this);
		callback?.(el);
		return el;
	},
};

const elementMembers = {
	getText(this: Element) {
		return this.textContent ?? "";
	},
	setText(this: Element, value: string | DocumentFragment) {
		if (typeof value === "string") this.textContent = value;
		else this.replaceChildren(value);
	},
	addClass(this: Element, ...classes: string[]) {
		this.classList.add(...classes);
	},
	addClasses(this: Element, classes: string[]) {
		this.classList.add(...classes);
	},
	removeClass(this: Element, ...classes: string[]) {
		this.classList.remove(...classes);
	},
	removeClasses(this: Element, classes: string[]) {
		this.classList.remove(...classes);
	},
	toggleClass(this: Element, classes: string | string[], value: boolean) {
		for (const name of typeof classes === "string" ? [classes] : classes) this.classList.toggle(name, value);
	},
	hasClass(this: Element, cls: string) {
		return this.classList.contains(cls);
	},
	setAttr(this: Element, name: string, value: string | number | boolean | null) {
		if (value === null) this.removeAttribute(name);
		else this.setAttribute(name, String(value));
	},
	setAttrs(this: Element, attributes: Record<string, string | number | boolean | null>) {
		for (const [name, value] of Object.entries(attributes)) this.setAttr(name, value);
	},
	getAttr(this: Element, name: string) {
		return this.getAttribute(name);
	},
	matchParent(this: Element, selector: string, lastParent?: Element) {
		const found = this.closest(selector);
		return found && lastParent && found !== lastParent && found.contains(lastParent) ? null : found;
	},
	getCssPropertyValue(this: Element, property: string, pseudo?: string) {
		return getComputedStyle(this, pseudo).getPropertyValue(property).trim();
	},
	isActiveElement(this: Element) {
		return this.ownerDocument.activeElement === this;
	},
	find(this: Element, selector: string) {
		return this.querySelector(selector);
	},
	findAll(this: Element, selector: string) {
		return [...this.querySelectorAll(selector)];
	},
	findAllSelf(this: Element, selector: string) {
		const inside = [...this.querySelectorAll(selector)];
		return this.matches(selector) ? [this, ...inside] : inside;
	},
};

const htmlMembers = {
	show(this: HTMLElement) {
		if (this.style.display === "none") this.style.display = this.dataset["shownDisplay"] ?? "";
	},
	hide(this: HTMLElement) {
		if (this.style.display === "none") return;
		this.dataset["shownDisplay"] = this.style.display;
		this.style.display = "none";
	},
	toggle(this: HTMLElement, show: boolean) {
		if (show) this.show();
		else this.hide();
	},
	toggleVisibility(this: HTMLElement, visible: boolean) {
		this.style.visibility = visible ? "" : "hidden";
	},
	isShown(this: HTMLElement) {
		return this.isConnected && (this.offsetParent !== null || getComputedStyle(this).position === "fixed");
	},
	setCssStyles(this: HTMLElement, styles: Partial<CSSStyleDeclaration>) {
		Object.assign(this.style, styles);
	},
	setCssProps(this: HTMLElement, props: Record<string, string>) {
		for (const [name, value] of Object.entries(props)) this.style.setProperty(name, value);
	},
};

const arrayMembers = {
	first(this: unknown[]) {
		return this[0];
	},
	last(this: unknown[]) {
		return this.at(-1);
	},
	contains(this: unknown[], target: unknown) {
		return this.includes(target);
	},
	remove(this: unknown[], target: unknown) {
		for (let at = this.length - 1; at >= 0; at--) if (this[at] === target) this.splice(at, 1);
	},
	shuffle(this: unknown[]) {
		for (let at = this.length - 1; at > 0; at--) {
			const other = Math.floor(Math.random() * (at + 1));
			[this[at], this[other]] = [this[other], this[at]];
		}
		return this;
	},
	unique(this: unknown[]) {
		return [...new Set(this)];
	},
};

/** `{0}` and so on replaced by the arguments. */
function format(this: string, ...args: string[]): string {
	return this.replace(/\{(\d+)\}/g, (whole, index: string) => args[Number(index)] ?? whole);
}

function installGlobals(): void {
	define(window, {
		createEl: (tag: string, o?: DomElementInfo | string, callback?: Callback) =>
			run(make(document, tag, o, null), callback),
		createDiv: (o?: DomElementInfo | string, callback?: Callback) =>
			run(make(document, "div", o, null), callback),
		createSpan: (o?: DomElementInfo | string, callback?: Callback) =>
			run(make(document, "span", o, null), callback),
		createSvg: (tag: string, o?: SvgElementInfo | string, callback?: Callback) =>
			run(makeSvg(document, tag, o, null), callback),
		createFragment: (callback?: (el: DocumentFragment) => void) => {
			const fragment = document.createDocumentFragment();
			callback?.(fragment);
			return fragment;
		},
		fish: (selector: string) => document.querySelector(selector),
		fishAll: (selector: string) => [...document.querySelectorAll(selector)],
		isBoolean: (value: unknown) => typeof value === "boolean",
		sleep: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
		nextFrame: () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve())),
		ready: (callback: () => unknown) => {
			if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => callback());
			else callback();
		},
		activeWindow: window,
		activeDocument: document,
	});
}

function run<T extends Element>(el: T, callback: Callback): T {
	callback?.(el);
	return el;
}

function pick(members: Record<string, unknown>, ...names: string[]): Record<string, unknown> {
	return Object.fromEntries(names.map((name) => [name, members[name]]));
}

/** Puts everything in place; called once, before any other module makes an element. */
export function installDom(): void {
	define(Node.prototype, nodeMembers);
	define(Element.prototype, elementMembers);
	define(DocumentFragment.prototype, pick(elementMembers, "find", "findAll"));
	define(HTMLElement.prototype, htmlMembers);
	define(SVGElement.prototype, pick(htmlMembers, "setCssStyles", "setCssProps"));
	define(Array.prototype, arrayMembers);
	define(Array, { combine: (arrays: unknown[][]) => arrays.flat() });
	define(String.prototype, {
		contains(this: string, target: string) {
			return this.includes(target);
		},
		format,
	});
	define(String, { isString: (value: unknown) => typeof value === "string" });
	define(Number, { isNumber: (value: unknown) => typeof value === "number" });
	define(Math, {
		clamp: (value: number, min: number, max: number) => Math.min(Math.max(value, min), max),
		square: (value: number) => value * value,
	});
	define(Object, {
		isEmpty: (object: object) => Object.keys(object).length === 0,
		each: (
			object: Record<string, unknown>,
			callback: (value: unknown, key: string) => boolean | void,
			context?: unknown,
		) => Object.entries(object).every(([key, value]) => callback.call(context, value, key) !== false),
	});
	defineGetter(Node.prototype, "doc", function (this: Node) {
		return this.ownerDocument ?? document;
	});
	defineGetter(Node.prototype, "win", function (this: Node) {
		return (this.ownerDocument ?? document).defaultView ?? window;
	});
	defineGetter(Node.prototype, "constructorWin", () => window);
	defineGetter(UIEvent.prototype, "targetNode", function (this: UIEvent) {
		return this.target;
	});
	defineGetter(UIEvent.prototype, "win", () => window);
	defineGetter(UIEvent.prototype, "doc", () => document);
	define(UIEvent.prototype, {
		instanceOf(this: UIEvent, type: new () => unknown) {
			return this instanceof type;
		},
	});
	defineGetter(HTMLElement.prototype, "innerWidth", function (this: HTMLElement) {
		return this.clientWidth;
	});
	defineGetter(HTMLElement.prototype, "innerHeight", function (this: HTMLElement) {
		return this.clientHeight;
	});
	installGlobals();
}
