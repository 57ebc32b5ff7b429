/**
 * The contract of a host: what this project relies on, as cases that run against any `obsidian` API handed in (the
 * playground's, or a real app's through `plugin.ts`). Typed with the public typings, so that nothing of the
 * playground's own is used.
 */
import type { App, TFile, TFolder } from "obsidian";

export type Api = typeof import("obsidian");

export interface ContractHost {
	app: App;
	obsidian: Api;
	/** A folder of the vault that this case has for itself; it exists and is empty. */
	folder: string;
	/** Address of the test server of `test/e2e/harness/http-server.ts`; where it is missing, network cases are skipped. */
	http?: string | undefined;
}

export interface ContractCase {
	/** The behaviour (of `behaviours.ts`) that this shows. */
	behaviour: string;
	needsHttp?: boolean;
	run(host: ContractHost): Promise<void>;
}

export interface Outcome {
	behaviour: string;
	status: "passed" | "failed" | "skipped";
	message?: string;
}

/** Fails unless the two are the same data. */
export function equal(actual: unknown, expected: unknown, what = "value"): void {
	const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
	if (a !== e) throw new Error(`${what}: expected ${e}, got ${a}`);
}

/** Fails unless the condition holds. */
export function ok(condition: boolean, what: string): void {
	if (!condition) throw new Error(what);
}

/** Fails unless the promise rejects, and with a message that has this in it. */
export async function rejects(promise: Promise<unknown>, message: string | RegExp): Promise<void> {
	let outcome: unknown;
	try {
		outcome = await promise;
	} catch (error) {
		const text = error instanceof Error ? error.message : String(error);
		const fits = typeof message === "string" ? text === message : message.test(text);
		if (!fits) throw new Error(`expected the error "${String(message)}", got "${text}"`, { cause: error });
		return;
	}
	throw new Error(`expected the error "${String(message)}", but it resolved to ${JSON.stringify(outcome)}`);
}

/** Waits until the condition holds; fails after `limitMs`. */
export async function until(
	condition: () => boolean | Promise<boolean>,
	what: string,
	limitMs = 8000,
): Promise<void> {
	const end = performance.now() + limitMs;
	while (!(await condition())) {
		if (performance.now() > end) throw new Error(`timed out waiting until ${what}`);
		await new Promise((resolve) => window.setTimeout(resolve, 10));
	}
}

/** Makes a note in the case's folder. */
export function make({ app, folder }: ContractHost, name: string, text = ""): Promise<TFile> {
	return app.vault.create(`${folder}/${name}`, text);
}

/** Makes a note and waits until the cache knows it. */
export async function makeIndexed(host: ContractHost, name: string, text: string): Promise<TFile> {
	const file = await make(host, name, text);
	await until(() => host.app.metadataCache.getFileCache(file) !== null, `${file.path} is in the cache`);
	return file;
}

/** The characters that this system refuses, as its message lists them, and whether its disk ignores case. */
export function system({ obsidian }: ContractHost): { illegal: string; foldsCase: boolean } {
	const { Platform } = obsidian;
	if (Platform.isAndroidApp) return { illegal: "| \\ ? * \" < > : + [ ] / '", foldsCase: true };
	if (Platform.isWin) return { illegal: '* " \\ / < > : | ?', foldsCase: true };
	return { illegal: "\\ / :", foldsCase: Platform.isMacOS && !Platform.isIosApp };
}

/** Runs the cases one after the other, each in a folder of its own below `root`, which is made and removed. */
export async function runContract(
	cases: ContractCase[],
	host: Omit<ContractHost, "folder">,
	root = "Contract test",
): Promise<Outcome[]> {
	const { vault } = host.app;
	const outcomes: Outcome[] = [];
	if (!vault.getFolderByPath(root)) await vault.createFolder(root);
	for (const [index, one] of cases.entries()) {
		const folder = `${root}/${String(index + 1).padStart(2, "0")}`;
		await vault.createFolder(folder);
		outcomes.push(await runCase(one, { ...host, folder }));
	}
	const made: TFolder | null = vault.getFolderByPath(root);
	// The folder is the contract's own and nothing in it is worth a place in anybody's bin.
	if (made) await vault.adapter.rmdir(made.path, true);
	return outcomes;
}

async function runCase(one: ContractCase, host: ContractHost): Promise<Outcome> {
	const { behaviour } = one;
	if (one.needsHttp && host.http === undefined)
		return { behaviour, status: "skipped", message: "no test server" };
	try {
		await one.run(host);
		return { behaviour, status: "passed" };
	} catch (error) {
		return { behaviour, status: "failed", message: error instanceof Error ? error.message : String(error) };
	}
}
