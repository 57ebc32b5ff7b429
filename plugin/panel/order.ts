// The order and the groups of saved actions.

import type { Action } from "../protocol";

/** Actions under one heading. */
export interface Group {
	/** "" for the person's own without a group; null for those that come with the plugin. */
	name: string | null;
	actions: Action[];
}

/** The groups in the order in which they first occur; those without a group come first, bundled ones last. */
export function groups(actions: readonly Action[]): Group[] {
	const found = new Map<string | null, Action[]>([["", []]]);
	for (const action of actions) {
		const name = action.group || (action.bundled ? null : "");
		const group = found.get(name);
		if (group) group.push(action);
		else found.set(name, [action]);
	}
	const all = [...found].map(([name, list]) => ({ name, actions: list }));
	return [...all.filter((g) => g.name !== null), ...all.filter((g) => g.name === null)].filter(
		(g) => g.actions.length > 0,
	);
}

/** Every id, with one moved to where another one of its group stands; null where nothing moves. */
export function moved(actions: readonly Action[], id: string, to: string): string[] | null {
	const group = groups(actions).find((g) => g.actions.some((a) => a.id === id));
	if (id === to || !group?.actions.some((a) => a.id === to)) return null;
	const ids = actions.map((a) => a.id);
	const [from, at] = [ids.indexOf(id), ids.indexOf(to)];
	ids.splice(from, 1);
	ids.splice(at, 0, id);
	return ids;
}

/** The action of the same group that stands before (-1) or after (1) one, or "". */
export function neighbour(actions: readonly Action[], id: string, step: -1 | 1): string {
	for (const group of groups(actions)) {
		const at = group.actions.findIndex((a) => a.id === id);
		if (at >= 0) return group.actions[at + step]?.id ?? "";
	}
	return "";
}
