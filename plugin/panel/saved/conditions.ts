// The conditions of a step and of its loop while a person edits them.

/** One condition as its form shows it. A value is a text, or JSON where it is no text or would be read as JSON. */
export interface Condition {
	property: string;
	op: string;
	value: string;
}

/** The comparisons of the plan language; the first is the one that a condition without one has. */
export const operators = ["=", "!=", "<", "<=", ">", ">=", "contains", "exists", "missing"];

/** Says whether a comparison has a value to compare with. */
export const compares = (op: string): boolean => op !== "exists" && op !== "missing";

/** Reads conditions, or one alone; undefined for what is neither. */
export function openConditions(when: unknown): Condition[] | undefined {
	if (when === undefined) return [];
	const all = (Array.isArray(when) ? when : [when]).map(openCondition);
	return all.every((c) => c !== undefined) ? all : undefined;
}

function openCondition(condition: unknown): Condition | undefined {
	if (typeof condition !== "object" || condition === null) return undefined;
	const { property, op = "", value, ...rest } = condition as Record<string, unknown>;
	if (typeof property !== "string" || typeof op !== "string" || Object.keys(rest).length > 0)
		return undefined;
	return { property, op, value: shown(value) };
}

/** A value as a line of text, from which it can be read again. */
function shown(value: unknown): string {
	if (value === undefined) return "";
	return typeof value === "string" && value !== "" && read(value) === value ? value : JSON.stringify(value);
}

function read(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

/** The conditions as a plan has them; nothing for none. */
export function closeConditions(conditions: readonly Condition[]): { when?: Record<string, unknown>[] } {
	return conditions.length > 0 ? { when: conditions.map(closeCondition) } : {};
}

function closeCondition({ property, op, value }: Condition): Record<string, unknown> {
	return {
		property,
		...(op ? { op } : {}),
		...(compares(op) && value !== "" ? { value: read(value) } : {}),
	};
}
