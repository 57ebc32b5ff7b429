// The runs of the history, by the days on which they began.

import { day, dayName } from "../../../i18n";
import type { RunSummary } from "../../protocol";

/** The runs of one day, the newest first. */
export interface Day {
	/** The date in this place, such as "2026-11-23"; "" where no run says when it was. */
	date: string;
	/** As a person calls it. */
	name: string;
	runs: RunSummary[];
}

/** Puts runs, the newest first, under the days of this place. A run without a time belongs to the one before it. */
export function byDay(runs: readonly RunSummary[], now: Date): Day[] {
	const days: Day[] = [];
	for (const run of runs) {
		const at = Date.parse(run.startedAt || (run.endedAt ?? ""));
		const last = days.at(-1);
		const date = Number.isNaN(at) ? (last?.date ?? "") : day(new Date(at));
		if (last?.date === date) last.runs.push(run);
		else days.push({ date, name: Number.isNaN(at) ? "" : dayName(new Date(at), now), runs: [run] });
	}
	return days;
}
