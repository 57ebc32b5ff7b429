import { Component } from "./component";
import { setIcon } from "./icons";

type MenuEvent = MouseEvent | KeyboardEvent;

export interface MenuPositionDef {
	x: number;
	y: number;
	width?: number;
	overlap?: boolean;
	left?: boolean;
}

export class MenuItem {
	dom: HTMLElement;
	section = "";
	disabled = false;
	private readonly iconEl: HTMLElement;
	private readonly titleEl: HTMLElement;
	private callback: ((event: MenuEvent) => unknown) | undefined;
	private submenu: Menu | undefined;

	constructor(private readonly menu: Menu) {
		this.dom = createDiv({ cls: "menu-item tappable", attr: { role: "menuitem", tabindex: "-1" } });
		this.iconEl = this.dom.createDiv("menu-item-icon");
		this.titleEl = this.dom.createDiv("menu-item-title");
		this.dom.addEventListener("click", (event) => this.choose(event));
		this.dom.addEventListener("pointerenter", () => this.dom.focus({ preventScroll: true }));
	}

	setTitle(title: string | DocumentFragment): this {
		this.titleEl.setText(title);
		return this;
	}

	setIcon(icon: string | null): this {
		if (icon) setIcon(this.iconEl, icon);
		else this.iconEl.empty();
		return this;
	}

	setChecked(checked: boolean | null): this {
		this.dom.toggleClass("mod-checked", checked === true);
		if (checked === null) this.dom.setAttribute("role", "menuitem");
		else this.dom.setAttrs({ role: "menuitemcheckbox", "aria-checked": checked });
		return this;
	}

	setDisabled(disabled: boolean): this {
		this.disabled = disabled;
		this.dom.toggleClass("is-disabled", disabled);
		this.dom.setAttribute("aria-disabled", String(disabled));
		return this;
	}

	setWarning(isWarning: boolean): this {
		this.dom.toggleClass("is-warning", isWarning);
		return this;
	}

	setIsLabel(isLabel: boolean): this {
		this.dom.toggleClass("is-label", isLabel);
		return this;
	}

	setSection(section: string): this {
		this.section = section;
		return this;
	}

	onClick(callback: (event: MenuEvent) => unknown): this {
		this.callback = callback;
		return this;
	}

	setSubmenu(): Menu {
		this.submenu ??= new Menu();
		this.dom.addClass("has-submenu");
		this.dom.setAttribute("aria-haspopup", "menu");
		return this.submenu;
	}

	/** Does what the entry is for. */
	choose(event: MenuEvent): void {
		if (this.disabled || this.dom.hasClass("is-label")) return;
		if (this.submenu) {
			const box = this.dom.getBoundingClientRect();
			this.submenu.showAtPosition({ x: box.right, y: box.top });
			return;
		}
		this.menu.hide();
		this.callback?.(event);
	}
}

export class MenuSeparator {
	dom = createDiv({ cls: "menu-separator", attr: { role: "separator" } });
	section = "";
}

export class Menu extends Component {
	dom: HTMLElement;
	items: (MenuItem | MenuSeparator)[] = [];
	private hideCallback: (() => unknown) | undefined;
	private previousFocus: Element | null = null;
	private readonly away = (event: Event): void => {
		if (!(event.target instanceof Element && event.target.closest(".menu"))) this.hide();
	};

	constructor() {
		super();
		this.dom = createDiv({ cls: "menu", attr: { role: "menu" } });
		this.dom.addEventListener("keydown", (event) => this.onKey(event));
	}

	setNoIcon(): this {
		this.dom.addClass("mod-no-icon");
		return this;
	}

	setUseNativeMenu(_useNativeMenu: boolean): this {
		return this;
	}

	setParentElement(el: HTMLElement): this {
		this.dom.dataset["parent"] = el.id;
		return this;
	}

	addItem(cb: (item: MenuItem) => unknown): this {
		const item = new MenuItem(this);
		this.items.push(item);
		cb(item);
		return this;
	}

	addSeparator(): this {
		this.items.push(new MenuSeparator());
		return this;
	}

	/** Orders the sections; entries without one come first. */
	addSections(_sections: string[]): this {
		return this;
	}

	showAtMouseEvent(event: MouseEvent): this {
		event.preventDefault();
		return this.showAtPosition({ x: event.clientX, y: event.clientY });
	}

	showAtPosition(position: MenuPositionDef): this {
		this.previousFocus = document.activeElement;
		this.dom.empty();
		this.dom.append(...this.ordered().map((item) => item.dom));
		document.body.append(this.dom);
		const { width, height } = this.dom.getBoundingClientRect();
		const wanted = position.left ? position.x - width : position.x;
		const x = Math.max(4, Math.min(wanted, window.innerWidth - width - 4));
		const y = Math.max(4, Math.min(position.y, window.innerHeight - height - 4));
		this.dom.setCssStyles({ left: `${x}px`, top: `${y}px` });
		void this.load();
		setTimeout(() => document.addEventListener("pointerdown", this.away, { capture: true }));
		this.choices()[0]?.dom.focus({ preventScroll: true });
		return this;
	}

	hide(): this {
		document.removeEventListener("pointerdown", this.away, { capture: true });
		if (!this.dom.isConnected) return this;
		this.dom.remove();
		this.unload();
		this.hideCallback?.();
		if (this.previousFocus instanceof HTMLElement && this.previousFocus.isConnected)
			this.previousFocus.focus({ preventScroll: true });
		return this;
	}

	close(): void {
		this.hide();
	}

	onHide(callback: () => unknown): void {
		this.hideCallback = callback;
	}

	onHistoryBack(): void {
		this.hide();
	}

	static forEvent(event: PointerEvent | MouseEvent): Menu {
		const known = menus.get(event);
		if (known) return known;
		const menu = new Menu();
		menus.set(event, menu);
		event.preventDefault();
		setTimeout(() => menu.showAtMouseEvent(event));
		return menu;
	}

	/** Entries of one section stand together, sections apart by a line, in the order of their first entry. */
	private ordered(): (MenuItem | MenuSeparator)[] {
		const sections = new Map<string, (MenuItem | MenuSeparator)[]>();
		for (const item of this.items) sections.set(item.section, [...(sections.get(item.section) ?? []), item]);
		return [...sections.values()].flatMap((items, index) =>
			index === 0 ? items : [new MenuSeparator(), ...items],
		);
	}

	private choices(): MenuItem[] {
		return this.ordered().filter((item): item is MenuItem => item instanceof MenuItem && !item.disabled);
	}

	private onKey(event: KeyboardEvent): void {
		const choices = this.choices();
		const at = choices.findIndex((item) => item.dom === document.activeElement);
		if (event.key === "Escape") this.hide();
		else if (event.key === "ArrowDown") choices[(at + 1) % choices.length]?.dom.focus();
		else if (event.key === "ArrowUp") choices[(at - 1 + choices.length) % choices.length]?.dom.focus();
		else if (event.key === "Enter" || event.key === " ") choices[at]?.choose(event);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}

const menus = new WeakMap<Event, Menu>();
