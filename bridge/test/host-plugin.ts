// A plugin that gives a page's tests the host of the bridge, without a core.
import { Plugin } from "obsidian";
import type { Answer, Host, HostCall } from "../client";
import { hosting } from "../../plugin/host";
import { platform } from "../../plugin/host/platform";
import { toProblem } from "../problem";

/** The answer to a call, in a form that leaves the page. */
export interface Outcome {
	result?: unknown;
	/** The bytes that the result names. */
	bytes?: number[][];
	problem?: { code: string; key: string; params?: Record<string, string>; detail?: string };
}

/** There is no core here: a sandbox cannot start. */
const withoutCore = {
	text: () => Promise.resolve(""),
	spawn: () => {
		throw new Error("no worker here");
	},
};

export default class HostPlugin extends Plugin {
	override async onload(): Promise<void> {
		const { app } = this;
		const { host } = hosting(this, "none", withoutCore);
		const call = async (
			method: keyof Host,
			params: unknown,
			blobs: number[][] = [],
			abort = 0,
		): Promise<Outcome> => {
			const given: HostCall = {
				signal: abort > 0 ? AbortSignal.timeout(abort) : new AbortController().signal,
				blobs: blobs.map((b) => Uint8Array.from(b)),
			};
			try {
				const run = host[method] as (params: unknown, call: HostCall) => Promise<Answer<unknown>>;
				const answer = await run(params, given);
				const bytes: number[][] = [];
				const add = (b: Uint8Array) => bytes.push([...b]) - 1;
				return {
					result: typeof answer === "function" ? (answer as (a: typeof add) => unknown)(add) : answer,
					bytes,
				};
			} catch (error) {
				return { problem: toProblem(error) };
			}
		};
		Object.assign(window, { hostCall: call, hostPlatform: () => platform(app) });
	}
}
