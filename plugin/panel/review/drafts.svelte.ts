/* global $state -- the compiler of Svelte gives it */

import { SvelteMap } from "svelte/reactivity";
import type { DraftTexts } from "../../protocol";

const nothing = JSON.stringify({ texts: {} });

/**
 * What a person is writing in a review and has not kept yet. It outlives the row
 * that it is written in, which goes when it is scrolled out of sight.
 */
export class Drafts {
	/** Texts of files, by path: each gives the text as it stands. */
	readonly texts = new SvelteMap<string, () => string>();
	/** The plan's text; null where it was not touched. */
	plan = $state<string | null>(null);
	/** What waits for the person's word that the drafts may go. */
	leaving = $state.raw<(() => void) | null>(null);
	/** The last yes put drafts into the review instead of approving it. */
	added = $state(false);

	/** The next review is the same plan once more: what was written in the last goes on in it. */
	carried = false;

	/** What the core was told last of the present review, as JSON. */
	private told = nothing;

	get any(): boolean {
		return this.plan !== null || this.texts.size > 0;
	}

	clear(): void {
		this.texts.clear();
		this.plan = null;
		this.leaving = null;
		this.added = false;
	}

	/** What is written as it stands now, where the core was last told something else. */
	toKeep(): DraftTexts | undefined {
		const texts = Object.fromEntries([...this.texts].map(([path, read]) => [path, read()]));
		const now: DraftTexts = this.plan === null ? { texts } : { texts, plan: this.plan };
		const told = JSON.stringify(now);
		if (told === this.told) return undefined;
		this.told = told;
		return now;
	}

	/** Goes on with what was written when the review was last open. */
	restore(kept: DraftTexts | undefined): void {
		if (!kept || this.any) return;
		this.plan = kept.plan ?? null;
		for (const [path, text] of Object.entries(kept.texts ?? {})) this.texts.set(path, () => text);
		this.toKeep(); // it is kept already
	}

	/** Another review is shown, or none. */
	reviewChanged(): void {
		if (!this.carried) this.clear();
		this.carried = false;
		this.told = nothing;
	}

	/** Goes on at once where there are no drafts; else when the person lets them go. */
	async before(go: () => Promise<void>): Promise<void> {
		if (!this.any) return go();
		this.leaving = () => {
			this.clear();
			void go();
		};
	}
}
