// The contract with the core, as the panel imports it: types, and the few values
// that are listed to a person. The one source is the Go package protocol.
export type * from "../bridge/protocol.gen";
export {
	KindAgent,
	KindFinish,
	KindRevert,
	KindRun,
	KindStaged,
	OriginElsewhere,
} from "../bridge/protocol.gen";

/** A method that may be asked of the core, what it takes and what it answers. */
export type { Params, Result, ServerMethod as Method } from "../bridge/client";
