// A JSON value for a person's eyes.

/** A value's text, and the long texts in it, which are read apart. */
export interface Readable {
	/** Indented JSON without the texts; "" when nothing else is there. */
	text: string;
	/** Members of several lines: a script, a note's content. */
	long: { name: string; text: string }[];
}

/**
 * Indents JSON and takes members of several lines out of it: as one line with
 * \n in it a script or a note cannot be read. What is no JSON (the core
 * shortens long values) is given as it is.
 */
export function readable(json: string): Readable {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		return { text: json, long: [] };
	}
	const long: Readable["long"] = [];
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		return { text: JSON.stringify(value, null, 2), long };
	}
	const rest: Record<string, unknown> = {};
	for (const [name, member] of Object.entries(value)) {
		if (typeof member === "string" && member.trimEnd().includes("\n")) long.push({ name, text: member });
		else rest[name] = member;
	}
	const bare = long.length > 0 && Object.keys(rest).length === 0;
	return { text: bare ? "" : JSON.stringify(rest, null, 2), long };
}
