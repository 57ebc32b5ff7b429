/** What the playground lacks says so by name: an `undefined` would fail far from its cause. */

/** The error for a member or export that exists in Obsidian and not here. */
export function notImplemented(name: string): Error {
	return new Error(`The playground does not implement ${name}.`);
}

/** Makes reading (or calling) each of these members of `target` throw by name. */
export function throwByName(target: object, owner: string, members: readonly string[]): void {
	for (const member of members) {
		Object.defineProperty(target, member, {
			configurable: true,
			get() {
				throw notImplemented(`${owner}.${member}`);
			},
			set(value: unknown) {
				Object.defineProperty(this, member, { configurable: true, writable: true, value });
			},
		});
	}
}

/** A module object whose unknown exports throw by name instead of being undefined. */
export function throwingModule<T extends object>(name: string, exports: T): T {
	return new Proxy(exports, {
		get(target, key, receiver): unknown {
			if (typeof key === "symbol" || key in target) return Reflect.get(target, key, receiver);
			if (key === "__esModule" || key === "default" || key === "then" || key === "toJSON") return undefined;
			throw notImplemented(`${key} of the module "${name}"`);
		},
	});
}
