// What cores that are no more had asked the host to write. A disk that has a write
// in hand finishes it, whoever asked; it must have, before anybody looks what a
// core has left. The list outlives this plugin: it may be switched off and on.

const key = Symbol.for("embedded-agent.outstanding");

/** The calls under way of former cores, in this window. */
function former(): Set<Promise<unknown>> {
	const realm = self as unknown as Record<symbol, Set<Promise<unknown>> | undefined>;
	return (realm[key] ??= new Set());
}

/** Hands the calls of a core that has ended over to the next one. */
export function handOver(calls: Iterable<Promise<unknown>>): void {
	const all = former();
	for (const call of calls) {
		all.add(call);
		const over = () => all.delete(call);
		call.then(over, over);
	}
}

/** Waits until nothing of a former core is under way. */
export async function unsettled(): Promise<void> {
	for (let all = [...former()]; all.length > 0; all = [...former()]) {
		await Promise.allSettled(all);
	}
}
