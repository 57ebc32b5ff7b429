/** Types of the Responses wire shapes, for tests in TypeScript; `responses.mjs` says what each is. */

/** One thing that the model puts out. */
export type OutputItem =
	| { kind: "text"; text: string }
	| { kind: "refusal"; text: string }
	| { kind: "call"; name: string; arguments: string; cutOff?: boolean };

/** What the model answers to one request. */
export interface Turn {
	items: OutputItem[];
	failure?: { code: string; message: string };
}

/** The events of one answer, in order. */
export function responseEvents(
	turn: Turn,
	body: Record<string, unknown>,
	clock: () => number,
): Generator<Record<string, unknown>, void>;
