import { nameElement } from "./accessible-name";
import type { App } from "./app";
import { setIcon } from "./icons";
import { Scope } from "./scope";

/** A dialog over the window. Escape, the close button and a click beside it close it. */
export class Modal {
	app: App;
	scope: Scope;
	containerEl: HTMLElement;
	modalEl: HTMLElement;
	titleEl: HTMLElement;
	headerEl: HTMLElement;
	contentEl: HTMLElement;
	bgEl: HTMLElement;
	shouldRestoreSelection = true;
	dimBackground = true;
	private closeCallback: (() => unknown) | undefined;
	private previousFocus: Element | null = null;
	private isOpen = false;

	constructor(app: App) {
		this.app = app;
		this.scope = new Scope();
		this.containerEl = createDiv({ cls: "modal-container mod-dim" });
		this.bgEl = this.containerEl.createDiv("modal-bg");
		this.modalEl = this.containerEl.createDiv({
			cls: "modal",
			attr: { role: "dialog", "aria-modal": "true", tabindex: "-1" },
		});
		const closeButton = this.modalEl.createEl("button", {
			cls: "modal-close-button clickable-icon",
			attr: { "aria-label": "Close", type: "button" },
		});
		setIcon(closeButton, "x");
		this.headerEl = this.modalEl.createDiv("modal-header");
		this.titleEl = this.headerEl.createDiv("modal-title");
		this.contentEl = this.modalEl.createDiv("modal-content");
		closeButton.addEventListener("click", () => this.close());
		this.bgEl.addEventListener("click", () => this.close());
		this.scope.register([], "Escape", () => {
			this.close();
			return false;
		});
		this.scope.register(null, "Tab", (event) => this.trapFocus(event));
	}

	open(): void {
		if (this.isOpen) return;
		this.isOpen = true;
		this.previousFocus = document.activeElement;
		document.body.append(this.containerEl);
		if (this.titleEl.textContent !== "") nameElement(this.modalEl, this.titleEl.textContent ?? "");
		this.app.keymap.pushScope(this.scope);
		openModals.push(this);
		this.modalEl.focus({ preventScroll: true });
		const opening = this.onOpen();
		if (opening instanceof Promise) opening.catch(report);
	}

	close(): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.app.keymap.popScope(this.scope);
		openModals.remove(this);
		this.containerEl.remove();
		this.onClose();
		this.closeCallback?.();
		if (
			this.shouldRestoreSelection &&
			this.previousFocus instanceof HTMLElement &&
			this.previousFocus.isConnected
		)
			this.previousFocus.focus({ preventScroll: true });
	}

	onOpen(): Promise<void> | void {
		return undefined;
	}

	onClose(): void {
		return undefined;
	}

	onHistoryBack(): void {
		this.close();
	}

	setTitle(title: string): this {
		this.titleEl.setText(title);
		if (this.isOpen) nameElement(this.modalEl, title);
		return this;
	}

	setContent(content: string | DocumentFragment): this {
		this.contentEl.setText(content);
		return this;
	}

	setCloseCallback(callback: () => unknown): this {
		this.closeCallback = callback;
		return this;
	}

	setDimBackground(dim: boolean): this {
		this.containerEl.toggleClass("mod-dim", dim);
		return this;
	}

	private trapFocus(event: KeyboardEvent): false | undefined {
		const focusable = [
			...this.modalEl.querySelectorAll<HTMLElement>(
				"a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])",
			),
		].filter((el) => !el.hasAttribute("disabled") && el.offsetParent !== null);
		const edge = event.shiftKey ? focusable[0] : focusable.at(-1);
		if (!edge || (document.activeElement !== edge && this.modalEl.contains(document.activeElement)))
			return undefined;
		(event.shiftKey ? focusable.at(-1) : focusable[0])?.focus();
		return false;
	}
}

const openModals: Modal[] = [];

/** Closes every open dialog, topmost first. */
export function closeAllModals(): void {
	for (const modal of openModals.slice().reverse()) modal.close();
}

/** Lets the error surface as an uncaught one, as an event handler's does. */
function report(error: unknown): void {
	setTimeout(() => {
		throw error;
	});
}
