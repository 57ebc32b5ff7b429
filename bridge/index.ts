// What the plugin uses of the boundary.
export {
	Client,
	type ClientOptions,
	type Params,
	type Result,
	type ServerMethod,
	type Status,
} from "./client";
export { ProblemError, toProblem } from "./problem";
export type * from "./protocol.gen";
