// The core as the panel uses it.

import type { Method, Params, Problem, Result } from "../protocol";

/** Whoever answers the panel's requests: the bridge's client, or a test. */
export interface Core {
	/**
	 * Asks the core. Rejects with an error that carries a Problem. A core that does
	 * not answer when the signal cancels, or when the request is urgent, is ended
	 * and started anew.
	 */
	request<M extends Method>(
		method: M,
		params: Params<M>,
		options?: { signal?: AbortSignal; urgent?: boolean },
	): Promise<Result<M>>;
}

/** The problem that an error carries; an unknown error is an internal one. */
export function asProblem(error: unknown): Problem {
	if (isProblem(error)) return error;
	if (typeof error === "object" && error !== null && "problem" in error && isProblem(error.problem)) {
		return error.problem;
	}
	const detail = error instanceof Error ? error.message : String(error);
	return { code: "INTERNAL_ERROR", key: "error.internal", detail };
}

function isProblem(value: unknown): value is Problem {
	return (
		typeof value === "object" &&
		value !== null &&
		"code" in value &&
		typeof value.code === "string" &&
		"key" in value &&
		typeof value.key === "string"
	);
}
