/** The event helpers on elements and on the document: delegation, clicks, insertion. */
import { throwByName } from "./not-implemented";

interface Delegation {
	selector: string;
	listener: (this: Element, event: Event, delegate: Element) => unknown;
	options: boolean | AddEventListenerOptions | undefined;
	callback: EventListener;
}

const delegations = new WeakMap<EventTarget, Map<string, Delegation[]>>();

function on(
	this: EventTarget,
	type: string,
	selector: string,
	listener: Delegation["listener"],
	options?: boolean | AddEventListenerOptions,
): void {
	const callback: EventListener = (event) => {
		const target = event.target instanceof Element ? event.target.closest(selector) : null;
		if (target && (this instanceof Document || (this as Node).contains(target)))
			listener.call(target, event, target);
	};
	const types = delegations.get(this) ?? new Map<string, Delegation[]>();
	delegations.set(this, types);
	types.set(type, [...(types.get(type) ?? []), { selector, listener, options, callback }]);
	this.addEventListener(type, callback, options);
}

function off(this: EventTarget, type: string, selector: string, listener: Delegation["listener"]): void {
	const known = delegations.get(this)?.get(type) ?? [];
	const matches = (entry: Delegation) => entry.selector === selector && entry.listener === listener;
	for (const entry of known.filter(matches)) this.removeEventListener(type, entry.callback, entry.options);
	delegations.get(this)?.set(
		type,
		known.filter((entry) => !matches(entry)),
	);
}

function onClickEvent(
	this: HTMLElement,
	listener: EventListener,
	options?: boolean | AddEventListenerOptions,
): void {
	this.addEventListener("click", listener, options);
	this.addEventListener("auxclick", listener, options);
}

function onNodeInserted(this: HTMLElement, listener: () => unknown, once = false): () => void {
	let connected = this.isConnected;
	const observer = new MutationObserver(() => {
		const now = this.isConnected;
		if (now && !connected) {
			if (once) observer.disconnect();
			listener();
		}
		connected = now;
	});
	observer.observe(document, { childList: true, subtree: true });
	return () => observer.disconnect();
}

/** Puts the event helpers in place. */
export function installDomEvents(): void {
	const members = {
		on,
		off,
		onClickEvent,
		onNodeInserted,
		trigger(this: HTMLElement, type: string) {
			this.dispatchEvent(new Event(type, { bubbles: true }));
		},
		// There is one window, so nothing ever migrates.
		onWindowMigrated: () => () => undefined,
	};
	for (const [name, value] of Object.entries(members))
		Object.defineProperty(HTMLElement.prototype, name, { configurable: true, writable: true, value });
	Object.defineProperty(Document.prototype, "on", { configurable: true, writable: true, value: on });
	Object.defineProperty(Document.prototype, "off", { configurable: true, writable: true, value: off });
	throwByName(window, "window", ["ajax", "ajaxPromise"]);
}
