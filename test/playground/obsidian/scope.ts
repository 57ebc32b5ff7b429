/** Keyboard scopes: the topmost one that knows a key gets it. */
import { Platform } from "./platform";

export type Modifier = "Mod" | "Ctrl" | "Meta" | "Shift" | "Alt";

export interface KeymapContext {
	modifiers: string | null;
	key: string | null;
	vkey: string;
}

export interface KeymapEventHandler {
	modifiers: string | null;
	key: string | null;
	scope: Scope;
	func: (event: KeyboardEvent, context: KeymapContext) => unknown;
}

/** Modifiers in one order, with Mod as this system's key. */
export function compileModifiers(modifiers: readonly Modifier[]): string {
	const real = modifiers.map((modifier) =>
		modifier === "Mod" ? (Platform.isMacOS ? "Meta" : "Ctrl") : modifier,
	);
	return real.sort().join(",");
}

function eventModifiers(event: KeyboardEvent): string {
	const held: string[] = [];
	if (event.altKey) held.push("Alt");
	if (event.ctrlKey) held.push("Ctrl");
	if (event.metaKey) held.push("Meta");
	if (event.shiftKey) held.push("Shift");
	return held.join(",");
}

export class Scope {
	keys: KeymapEventHandler[] = [];

	constructor(readonly parent?: Scope) {}

	/** A null key or null modifiers match any. Returning false from `func` prevents the default. */
	register(
		modifiers: Modifier[] | null,
		key: string | null,
		func: KeymapEventHandler["func"],
	): KeymapEventHandler {
		const handler = { modifiers: modifiers ? compileModifiers(modifiers) : null, key, scope: this, func };
		this.keys.push(handler);
		return handler;
	}

	unregister(handler: KeymapEventHandler): void {
		this.keys = this.keys.filter((other) => other !== handler);
	}

	/** Undefined where nothing here or above wanted the key. */
	handleKey(event: KeyboardEvent, context: KeymapContext): unknown {
		for (const handler of this.keys.slice()) {
			if (handler.modifiers !== null && handler.modifiers !== context.modifiers) continue;
			const key = handler.key?.toLowerCase();
			if (key !== undefined && key !== context.key?.toLowerCase() && key !== context.vkey.toLowerCase())
				continue;
			const result = handler.func(event, context);
			if (result !== undefined) return result;
		}
		return this.parent?.handleKey(event, context);
	}
}

export class Keymap {
	private readonly scopes: Scope[] = [];

	constructor(private readonly root: Scope) {
		document.addEventListener("keydown", (event) => this.onKey(event), { capture: true });
	}

	pushScope(scope: Scope): void {
		this.popScope(scope);
		this.scopes.push(scope);
	}

	popScope(scope: Scope): void {
		const index = this.scopes.lastIndexOf(scope);
		if (index >= 0) this.scopes.splice(index, 1);
	}

	getRootScope(): Scope {
		return this.root;
	}

	private onKey(event: KeyboardEvent): void {
		if (event.isComposing) return;
		const context = { modifiers: eventModifiers(event), key: event.key, vkey: virtualKey(event) };
		const scope = this.scopes.at(-1) ?? this.root;
		if (scope.handleKey(event, context) === false) {
			event.preventDefault();
			event.stopPropagation();
		}
	}

	static isModifier(event: MouseEvent | TouchEvent | KeyboardEvent, modifier: Modifier): boolean {
		switch (modifier) {
			case "Mod":
				return Platform.isMacOS ? event.metaKey : event.ctrlKey;
			case "Ctrl":
				return event.ctrlKey;
			case "Meta":
				return event.metaKey;
			case "Shift":
				return event.shiftKey;
			case "Alt":
				return event.altKey;
		}
	}

	/** Where a click with these modifiers opens something; false for here. */
	static isModEvent(
		event?: MouseEvent | KeyboardEvent | TouchEvent | null,
	): "tab" | "split" | "window" | false {
		if (!event) return false;
		const middle = "button" in event && event.button === 1;
		if (!Keymap.isModifier(event, "Mod") && !middle) return false;
		if (event.altKey && event.shiftKey) return "window";
		return event.altKey ? "split" : "tab";
	}
}

function virtualKey(event: KeyboardEvent): string {
	if (/^Key[A-Z]$/.test(event.code)) return event.code.slice(3);
	if (/^Digit[0-9]$/.test(event.code)) return event.code.slice(5);
	return event.key;
}
