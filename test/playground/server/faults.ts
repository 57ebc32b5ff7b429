/**
 * Faults that a test can ask the disk for. They are about the plugin's own calls: what the app itself
 * writes (its layout, its options) is neither counted nor failed.
 */
import type { RequestHeader } from "../shared/frames";

/** The calls that change the folder, in the order in which they are counted. */
export const mutations = new Set(["write", "append", "mkdir", "rename", "remove", "rmdir", "trash", "copy"]);

export interface FailRule {
	/** Which call fails; `mutation` means any that changes the folder. */
	op: string;
	/** The nth such call from now on, starting with 1. Missing: every one. */
	nth?: number;
	/** Only calls whose path starts with this. */
	path?: string;
	code: "EACCES" | "ENOSPC" | "EIO" | "EBUSY" | "EPERM";
}

export interface FaultSettings {
	/** Added before every call, in ms. */
	latencyMs?: number;
	/** Only calls whose path starts with this are late. */
	latencyPath?: string;
	fail?: FailRule[];
	/** The nth write from now on leaves only its first `bytes` bytes on disk, then the disk is silent for good. */
	torn?: { nth: number; bytes: number; path?: string };
	/** The nth change from now on, and everything after it, is never done and never answered. */
	freezeAt?: number;
	/** Only changes whose path starts with this are counted for `freezeAt`. */
	freezePath?: string;
}

/** Calls by name since the last `reset`, and the sum of those that change the folder. */
export interface Counters {
	[op: string]: number;
	mutations: number;
}

const messages: Record<FailRule["code"], string> = {
	EACCES: "permission denied",
	ENOSPC: "no space left on device",
	EIO: "i/o error",
	EBUSY: "resource busy or locked",
	EPERM: "operation not permitted",
};

/** What the disk does with one call. */
export type Verdict =
	| { kind: "go" }
	| { kind: "fail"; code: string; text: string }
	| { kind: "torn"; bytes: number }
	| { kind: "silent" };

export class Faults {
	private settings: FaultSettings = {};
	private hits = new Map<FailRule, number>();
	private tornHits = 0;
	private mutationHits = 0;
	private counted: Counters = { mutations: 0 };
	/** Bumped by `revive`: connections made before a simulated kill stay silent, later ones work. */
	generation = 0;
	private deadGeneration = -1;

	/** Replaces all faults; counting of "nth" starts again. */
	set(settings: FaultSettings): void {
		this.settings = structuredClone(settings);
		this.hits.clear();
		this.tornHits = 0;
		this.mutationHits = 0;
	}

	/** Removes all faults. Connections that a simulated kill silenced stay silent. */
	clear(): void {
		this.set({});
	}

	/** Counts since the last `resetCounters`. */
	counters(): Counters {
		return { ...this.counted };
	}

	resetCounters(): void {
		this.counted = { mutations: 0 };
	}

	/** How late a call is, in ms. */
	latencyOf(request: RequestHeader): number {
		return startsWith(request, this.settings.latencyPath) ? (this.settings.latencyMs ?? 0) : 0;
	}

	/** True for a connection that was open when the simulated kill happened. */
	isDead(generation: number): boolean {
		return generation <= this.deadGeneration;
	}

	/** Silences every connection that is open now; a page that connects afterwards is served. */
	kill(): void {
		this.deadGeneration = this.generation;
		this.generation++;
		this.clear();
	}

	/** Counts the call and says what happens to it. */
	judge(request: RequestHeader): Verdict {
		if (request.app) return { kind: "go" };
		const mutates = mutations.has(request.op);
		this.counted[request.op] = (this.counted[request.op] ?? 0) + 1;
		if (mutates) this.counted.mutations++;
		if (mutates && this.settings.freezeAt !== undefined && startsWith(request, this.settings.freezePath)) {
			this.mutationHits++;
			if (this.mutationHits >= this.settings.freezeAt) return { kind: "silent" };
		}
		const torn = this.settings.torn;
		if (torn && (request.op === "write" || request.op === "append") && startsWith(request, torn.path)) {
			this.tornHits++;
			if (this.tornHits === torn.nth) return { kind: "torn", bytes: torn.bytes };
		}
		for (const rule of this.settings.fail ?? []) {
			if (rule.op !== request.op && !(rule.op === "mutation" && mutates)) continue;
			if (!startsWith(request, rule.path)) continue;
			const hits = (this.hits.get(rule) ?? 0) + 1;
			this.hits.set(rule, hits);
			if (rule.nth === undefined || rule.nth === hits)
				return { kind: "fail", code: rule.code, text: messages[rule.code] };
		}
		return { kind: "go" };
	}
}

function startsWith(request: RequestHeader, prefix: string | undefined): boolean {
	return prefix === undefined || (request.path ?? "").startsWith(prefix);
}
