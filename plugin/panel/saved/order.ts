// The order and the groups of saved actions.

import type { Action } from "../../protocol";

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
		const name = groupOf(action);
		const group = found.get(name);
		if (group) group.push(action);
		else found.set(name, [action]);
	}
	const all = [...found].map(([name, list]) => ({ name, actions: list }));
	return [...all.filter((g) => g.name !== null), ...all.filter((g) => g.name === null)].filter(
		(g) => g.actions.length > 0,
	);
}

/** Where an action would stand: the group that it would be in, and the ids of all in order. */
export interface Place {
	group: string;
	ids: string[];
}

/**
 * Where an action stands once it has been put on another one: it takes that one's place, in its group. A
 * step (-1 back, 1 on) into another group goes to the near end of it. Null where nothing moves: what comes with the
 * plugin stays among itself, and nothing else gets there.
 */
export function moved(actions: readonly Action[], id: string, to: string, step?: -1 | 1): Place | null {
	const [from, at] = [id, to].map((of) => actions.findIndex((a) => a.id === of)) as [number, number];
	const [action, other] = [actions[from], actions[at]];
	if (!action || !other || id === to) return null;
	const [home, group] = [groupOf(action), groupOf(other)];
	if (home !== group && (action.bundled || other.bundled)) return null;
	const ids = actions.map((a) => a.id).filter((each) => each !== id);
	const after = home === group ? from < at : step === -1;
	ids.splice(ids.indexOf(to) + (after ? 1 : 0), 0, id);
	return { group: group ?? "", ids };
}

/** The action before (-1) or after (1) one, as they are shown, which it can be moved to; "" where there is none. */
export function neighbour(actions: readonly Action[], id: string, step: -1 | 1): string {
	const shown = groups(actions).flatMap((group) => group.actions);
	const at = shown.findIndex((a) => a.id === id);
	const to = at < 0 ? "" : (shown[at + step]?.id ?? "");
	return moved(actions, id, to, step) ? to : "";
}

/** The group of an action as `Group` names it. */
function groupOf(action: Action): string | null {
	return action.group || (action.bundled ? null : "");
}
