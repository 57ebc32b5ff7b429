// data.json as it is kept: the settings, whatever else a newer version has written
// into it, and when each field was last changed. A sync service hands over whole
// files; of each field the latest change holds, on every device.

import { isObject, readData, type Data } from "./data";

/** The content of data.json. */
type Fields = Record<string, unknown>;

/** The field with the times: by another field's name, milliseconds since 1970. */
const timesField = "changed";

/** data.json, read. It never changes: each change makes another one. */
export class KeptSettings {
	/** The settings, each as it should be. */
	readonly data: Data;

	private constructor(
		private readonly fields: Fields,
		private readonly times: Record<string, number>,
	) {
		this.data = readData(fields);
	}

	/** The object that loadData gave; nothing where there is no file, or no object in it. */
	static read(saved: unknown): KeptSettings {
		const { [timesField]: times, ...fields } = isObject(saved) ? saved : {};
		return new KeptSettings(fields, isObject(times) ? numbersIn(times) : {});
	}

	/** For saveData: all fields, those that this version does not know too. */
	get file(): Fields {
		return { ...this.data, ...this.fields, [timesField]: this.times };
	}

	/** With other values of some fields, changed now: after all that is known, whatever the clocks say. */
	with(changed: Partial<Data>, now = Date.now()): KeptSettings {
		const at = Math.max(now, 1 + Math.max(0, ...Object.values(this.times)));
		const times = Object.fromEntries(Object.keys(changed).map((key) => [key, at]));
		return new KeptSettings({ ...this.fields, ...changed }, { ...this.times, ...times });
	}

	/**
	 * The settings that hold when another file has replaced this one: of each field the later change; where neither is
	 * later, what the file says, since it was edited by hand.
	 */
	merge(theirs: KeptSettings): KeptSettings {
		const fields: Fields = { ...theirs.fields };
		const times = { ...theirs.times };
		for (const [key, time] of Object.entries(this.times)) {
			if (time <= (theirs.times[key] ?? 0)) continue;
			if (key in this.fields) fields[key] = this.fields[key];
			else delete fields[key];
			times[key] = time;
		}
		return new KeptSettings(fields, times);
	}

	/** Whether another one would be the same file. */
	equals(other: KeptSettings): boolean {
		return sorted(this.file) === sorted(other.file);
	}
}

/** A text that is the same for the same fields with the same times, in whatever order they were set. */
function sorted(file: Fields): string {
	const inOrder = (fields: Fields) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
	return JSON.stringify(inOrder({ ...file, [timesField]: inOrder(file[timesField] as Fields) }));
}

function numbersIn(times: Fields): Record<string, number> {
	return Object.fromEntries(
		Object.entries(times).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
	);
}
