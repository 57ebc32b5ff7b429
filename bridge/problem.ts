import type { Problem } from "./protocol.gen";

/** The codes of errors that arise on this side of the boundary (the closed list of the core). */
export type Code =
	| "VALIDATION_ERROR"
	| "NOT_FOUND"
	| "CONFLICT"
	| "PRECONDITION_FAILED"
	| "AUTH_REQUIRED"
	| "NETWORK_ERROR"
	| "SANDBOX_ERROR"
	| "CANCELLED"
	| "INTERNAL_ERROR";

/** An error with words for a person. Every failed request rejects with one. */
export class ProblemError extends Error {
	override readonly name = "ProblemError";

	constructor(readonly problem: Problem) {
		super(`${problem.code} ${problem.key}${problem.detail ? `: ${problem.detail}` : ""}`);
	}
}

/** The message of a thrown value. */
export function words(error: unknown): string {
	if (error instanceof Error) return error.message;
	return typeof error === "string" ? error : JSON.stringify(error);
}

/** Makes an error from a code, a message key with its parameters, and what went wrong beneath. */
export function fail(
	code: Code,
	key: string,
	params?: Record<string, string>,
	cause?: unknown,
): ProblemError {
	return new ProblemError({ code, key, params, detail: cause === undefined ? undefined : words(cause) });
}

/** Gives any thrown value the form in which errors cross. */
export function toProblem(error: unknown): Problem {
	if (error instanceof ProblemError) return error.problem;
	if (error instanceof DOMException && error.name === "AbortError")
		return fail("CANCELLED", "error.cancelled").problem;
	return fail("INTERNAL_ERROR", "error.internal", undefined, error).problem;
}
