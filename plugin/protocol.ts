// The contract with the core, as the panel imports it: types, and the few values
// that are listed to a person. The one source is the Go package protocol.
export type * from "../bridge/protocol.gen";
export { KindAgent, KindFinish, KindRevert, KindRun } from "../bridge/protocol.gen";

import type { ServerMethods } from "../bridge/protocol.gen";

/** The name of a method that the shell may ask of the core. */
export type Method = keyof ServerMethods;
/** What a method takes. */
export type Params<M extends Method> = ServerMethods[M]["params"];
/** What a method answers. */
export type Result<M extends Method> = ServerMethods[M]["result"];
