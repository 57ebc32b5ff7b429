/** An event registration, as `on` returns it and `offref` takes it. */
export interface EventRef {
	e: Events;
	name: string;
	fn: (...data: never[]) => unknown;
	ctx: unknown;
}

/** Obsidian's event emitter. A listener that throws is reported and does not stop the others. */
export class Events {
	_: Record<string, EventRef[]> = {};

	on(name: string, callback: (...data: never[]) => unknown, ctx?: unknown): EventRef {
		const ref: EventRef = { e: this, name, fn: callback, ctx };
		(this._[name] ??= []).push(ref);
		return ref;
	}

	off(name: string, callback: (...data: never[]) => unknown): void {
		const refs = this._[name];
		if (refs) this._[name] = refs.filter((ref) => ref.fn !== callback);
	}

	offref(ref: EventRef): void {
		const refs = this._[ref.name];
		if (refs) this._[ref.name] = refs.filter((other) => other !== ref);
	}

	trigger(name: string, ...data: unknown[]): void {
		for (const ref of this._[name]?.slice() ?? []) this.tryTrigger(ref, data);
	}

	tryTrigger(ref: EventRef, args: unknown[]): void {
		try {
			(ref.fn as (...data: unknown[]) => unknown).apply(ref.ctx, args);
		} catch (error) {
			// The app reports a listener's error apart from the event, so that the others still hear it.
			setTimeout(() => {
				throw error;
			});
		}
	}
}
