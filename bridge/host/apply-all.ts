import type { HostCall } from "../client";
import { toProblem } from "../problem";
import type { AllApplied, Applied, Info, Op } from "../protocol.gen";

/** Makes vault.applyAll of vault.apply: each write goes its own way, in the order of the list. */
export function applyAll(
	apply: (op: Op, call: HostCall) => Promise<unknown>,
): (params: { ops: Op[] }, call: HostCall) => Promise<AllApplied> {
	const one = async (op: Op, call: HostCall): Promise<Applied> => {
		try {
			return { info: (await apply(op, call)) as Info };
		} catch (error) {
			return { problem: toProblem(error) };
		}
	};
	return async ({ ops }, call) => ({ results: await Promise.all(ops.map((op) => one(op, call))) });
}
