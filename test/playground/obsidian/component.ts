import type { EventRef } from "./events";

/** Something with a life: what is registered while it is loaded is undone when it is unloaded. */
export class Component {
	_loaded = false;
	_children: Component[] = [];
	private _cleanups: (() => unknown)[] = [];

	/** Loads this and its children; a promise that `onload` returns is passed on. */
	load(): void | Promise<void> {
		if (this._loaded) return undefined;
		this._loaded = true;
		const result = this.onload();
		for (const child of this._children.slice()) void child.load();
		return result;
	}

	onload(): void | Promise<void> {
		return undefined;
	}

	unload(): void {
		if (!this._loaded) return;
		this._loaded = false;
		while (this._children.length > 0) this._children.pop()?.unload();
		while (this._cleanups.length > 0) this._cleanups.pop()?.();
		this.onunload();
	}

	onunload(): void {
		return undefined;
	}

	addChild<T extends Component>(component: T): T {
		this._children.push(component);
		if (this._loaded) void component.load();
		return component;
	}

	removeChild<T extends Component>(component: T): T {
		const index = this._children.indexOf(component);
		if (index >= 0) {
			this._children.splice(index, 1);
			component.unload();
		}
		return component;
	}

	register(cb: () => unknown): void {
		this._cleanups.push(cb);
	}

	registerEvent(ref: EventRef): void {
		this.register(() => ref.e.offref(ref));
	}

	registerDomEvent(
		el: EventTarget,
		type: string,
		callback: (event: never) => unknown,
		options?: boolean | AddEventListenerOptions,
	): void {
		const listener = callback as unknown as EventListener;
		el.addEventListener(type, listener, options);
		this.register(() => el.removeEventListener(type, listener, options));
	}

	registerInterval(id: number): number {
		this.register(() => window.clearInterval(id));
		return id;
	}

	registerScopeEvent(handler: { scope: { unregister(handler: unknown): void } }): void {
		this.register(() => handler.scope.unregister(handler));
	}
}
