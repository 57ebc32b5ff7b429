// The core in a worker thread of Node, with a folder as its host: the same wasm
// and the same client as in the app, without a browser. Files are written by
// direct calls through one queue, as the app's adapter does it, and undo records by
// the worker itself (opfs.mjs), into DEVICE beside the notes.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import esbuild from "esbuild";
import { bundleWorker, coreText, virtualModules } from "../scripts/build/bundle.mjs";
import { core, root } from "../scripts/build/wasm.mjs";
import { Followed, followHost } from "./follow.mjs";
import { opfs } from "./opfs.mjs";

/** Where a host of a folder keeps what is the device's own. */
export const DEVICE = ".device";

const BANNER = `
const { parentPort, workerData } = require("node:worker_threads");
globalThis.self = globalThis;
const storage = (${opfs})(require("node:fs"), require("node:path"), workerData.device);
Object.defineProperty(globalThis, "navigator", { value: { storage }, configurable: true });
self.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
let memory;
const instantiate = WebAssembly.instantiate;
WebAssembly.instantiate = async (...args) => {
	const made = await instantiate(...args);
	memory = (made.instance ?? made).exports.mem ?? memory;
	return made;
};
parentPort.on("message", (data) => {
	if (data === "facts?") parentPort.postMessage({ facts: { memory: memory.buffer.byteLength, ...storage.counts } });
	else if (self.onmessage) self.onmessage({ data });
});
`;

/** Bundles bridge/client.ts, and what a host of Node takes of the app's, for Node and imports it. */
export async function importClient(wasmExec) {
	globalThis.self ??= globalThis;
	const result = await esbuild.build({
		absWorkingDir: root,
		stdin: {
			contents:
				'export * from "./bridge/client"; export { fail } from "./bridge/problem"; export { SandboxHost } from "./plugin/host/sandbox"; export { applyAll } from "./bridge/host/apply-all";',
			resolveDir: root,
			loader: "ts",
		},
		bundle: true,
		write: false,
		format: "esm",
		platform: "node",
		plugins: [virtualModules({ wasmExec })],
	});
	const text = result.outputFiles[0].text;
	const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
	const file = join(root, "build", `nodehost-${hash}.mjs`);
	await fs.mkdir(dirname(file), { recursive: true });
	await fs.writeFile(file, text);
	return import(pathToFileURL(file).href);
}

/** Node's worker with the face of the browser's. */
function spawn(source, device) {
	const worker = new Worker(source, { eval: true, workerData: { device } });
	const face = {
		onmessage: null,
		onerror: null,
		onmessageerror: null,
		postMessage: (message, transfer) => worker.postMessage(message, transfer),
		facts: () =>
			new Promise((resolve) => {
				const hear = (data) => {
					if (data?.facts === undefined) return;
					worker.off("message", hear);
					resolve(data.facts);
				};
				worker.on("message", hear);
				worker.postMessage("facts?");
			}),
		terminate: () => void worker.terminate(),
	};
	worker.on("message", (data) => face.onmessage?.({ data }));
	worker.on("error", (error) => face.onerror?.({ message: String(error) }));
	worker.on("messageerror", (event) => face.onmessageerror?.(event));
	return face;
}

/**
 * A vault on disk with the app's calls: `create`, `process`, `read`, `remove`,
 * each write after the one before. It counts writes and appends.
 */
export class FolderVault {
	writes = 0;
	appends = 0;
	#tail = Promise.resolve();

	constructor(folder) {
		this.folder = folder;
	}

	path(path) {
		return join(this.folder, path);
	}

	/** Runs one change after all before it. */
	queue(work) {
		const result = this.#tail.then(work, work);
		this.#tail = result.catch(() => undefined);
		return result;
	}

	/** As vault.create: refuses what exists, writes, and looks at what is there then. */
	create(path, data) {
		return this.queue(async () => {
			if (existsSync(this.path(path))) throw new Error("File already exists.");
			this.writes++;
			await fs.writeFile(this.path(path), data);
			return this.info(path);
		});
	}

	/** As vault.process: reads, changes and writes with nothing in between. */
	process(path, change) {
		return this.queue(async () => {
			const before = await fs.readFile(this.path(path), "utf8");
			const after = change(before);
			this.writes++;
			await fs.writeFile(this.path(path), after);
			return this.info(path);
		});
	}

	read(path) {
		return fs.readFile(this.path(path));
	}

	remove(path) {
		return this.queue(async () => {
			this.writes++;
			await fs.rm(this.path(path), { recursive: true, force: true });
		});
	}

	append(path, data) {
		return this.queue(async () => {
			this.appends++;
			await fs.mkdir(dirname(this.path(path)), { recursive: true });
			await fs.appendFile(this.path(path), data);
		});
	}

	async info(path) {
		const s = await fs.stat(this.path(path));
		const kind = s.isDirectory() ? "folder" : "file";
		return {
			path,
			kind,
			size: kind === "file" ? s.size : 0,
			ctime: Math.trunc(s.ctimeMs),
			mtime: Math.trunc(s.mtimeMs),
		};
	}

	async list(folder) {
		const names = await fs.readdir(this.path(folder)).catch(() => []);
		const paths = names
			.filter((name) => !name.startsWith("."))
			.map((name) => (folder ? `${folder}/${name}` : name));
		return Promise.all(paths.sort().map((path) => this.info(path)));
	}
}

const STORE = ".embedded-agent";

/** The host's methods over the folder. There is no editor, no pane, no command and no network. */
export function hostOf(vault, { fail, applyAll }, followed) {
	const must = async (path) => {
		try {
			return await vault.info(path);
		} catch (error) {
			if (error.code !== "ENOENT") throw error;
			throw fail("NOT_FOUND", "error.vault.notFound", { path });
		}
	};
	const data = (content, blobs) => (content.blob < 0 ? content.text : blobs[content.blob]);
	const same = async (path, before, blobs) => {
		const now = await vault.read(path);
		if (!now.equals(Buffer.from(data(before, blobs))))
			throw fail("CONFLICT", "error.vault.changed", { path });
	};
	const walk = async (folder) => {
		const all = [];
		for (const entry of await vault.list(folder)) {
			all.push(entry);
			if (entry.kind === "folder") all.push(...(await walk(entry.path)));
		}
		return all;
	};
	const gone = { path: "", kind: "", size: 0, ctime: 0, mtime: 0 };
	const ops = {
		create: (op, blobs) =>
			vault.create(op.path, data(op.data, blobs)).catch((error) => {
				throw error.message === "File already exists."
					? fail("CONFLICT", "error.vault.exists", { path: op.path })
					: error;
			}),
		modify: async (op, blobs) => {
			const before = data(op.before, blobs);
			return vault.process(op.path, (now) => {
				if (now !== before) throw fail("CONFLICT", "error.vault.changed", { path: op.path });
				return data(op.data, blobs);
			});
		},
		rename: (op) =>
			vault.queue(async () => {
				if (existsSync(vault.path(op.to))) throw fail("CONFLICT", "error.vault.exists", { path: op.to });
				vault.writes++;
				await fs.rename(vault.path(op.path), vault.path(op.to));
				return vault.info(op.to);
			}),
		trash: async (op, blobs) => {
			if (op.before) await same(op.path, op.before, blobs);
			await vault.queue(async () => {
				vault.writes++;
				await fs.mkdir(vault.path(".trash"), { recursive: true });
				await fs.rename(
					vault.path(op.path),
					vault.path(`.trash/${Date.now()}-${op.path.replaceAll("/", " ")}`),
				);
			});
			return gone;
		},
		remove: async (op, blobs) => {
			await same(op.path, op.before, blobs);
			await vault.remove(op.path);
			return gone;
		},
		mkdir: (op) =>
			vault.queue(async () => {
				if (existsSync(vault.path(op.path))) throw fail("CONFLICT", "error.vault.exists", { path: op.path });
				vault.writes++;
				await fs.mkdir(vault.path(op.path));
				return vault.info(op.path);
			}),
		rmdir: async (op) => {
			await vault.queue(async () => {
				vault.writes++;
				await fs.rmdir(vault.path(op.path));
			});
			return gone;
		},
	};
	const applyOne = async (op, { blobs }) => {
		const info = await ops[op.kind](op, blobs);
		followed.applied(op, info);
		return info;
	};
	const store = (path) => `${STORE}/${path}`;
	const bytes =
		(read) =>
		async ({ path }) => {
			await must(read(path));
			const content = new Uint8Array(await vault.read(read(path)));
			return (blob) => ({ text: "", blob: blob(content) });
		};
	const none = async () => {
		throw fail("PRECONDITION_FAILED", "error.workspace.pane", { pane: "" });
	};
	return {
		"vault.stat": async ({ path }) => (path === "" ? { ...(await vault.info("")), path: "" } : must(path)),
		"vault.read": bytes((path) => path),
		"vault.list": async ({ path }) => ({ entries: await vault.list(path) }),
		"vault.walk": async ({ path }) => ({
			entries: (await walk(path)).sort((a, b) => (a.path < b.path ? -1 : 1)),
		}),
		"vault.backlinks": async () => ({
			paths: (await walk("")).filter((entry) => entry.path.endsWith(".md")).map((entry) => entry.path),
		}),
		"vault.apply": applyOne,
		"vault.applyAll": applyAll(applyOne),
		...followHost(vault.folder, followed),
		"plugins.installed": async () => ({ plugins: [] }),
		"editor.state": async () => {
			const none = { line: 0, ch: 0 };
			return { path: "", selection: { from: none, to: none }, text: "" };
		},
		"workspace.context": async () => ({ activePath: "", viewType: "", openPaths: [] }),
		"workspace.open": async () => ({}),
		"workspace.focus": none,
		"commands.list": async () => ({ commands: [] }),
		"commands.run": async () => ({ ok: false }),
		"store.append": async ({ path, blob }, { blobs }) => (await vault.append(store(path), blobs[blob]), {}),
		"store.write": async ({ path, blob }, { blobs }) => {
			await vault.queue(async () => {
				await fs.mkdir(dirname(vault.path(store(path))), { recursive: true });
				await fs.writeFile(vault.path(store(path)), blobs[blob]);
			});
			return {};
		},
		"store.read": bytes(store),
		"store.list": async ({ path }) => {
			const entries = await vault.list(path === "" ? STORE : store(path));
			return { entries: entries.map((entry) => ({ ...entry, path: entry.path.slice(STORE.length + 1) })) };
		},
		"store.remove": async ({ path }) => (
			await vault.queue(() => fs.rm(vault.path(store(path)), { recursive: true, force: true })),
			{}
		),
		"http.open": none,
		"http.read": none,
		"http.close": async () => ({}),
		"secret.has": async () => ({ has: false }),
		"secret.allow": none,
		"secret.print": none,
		"device.key": async () => ({ key: "0".repeat(64) }),
		"owner.self": async () => ({ device: "bench", window: "bench", kept: true, owns: true, persisted: true }),
		"owner.gone": async () => ({ gone: true }),
		"owner.quiet": async () => ({}),
	};
}

/**
 * Starts a core over a folder. `settings` are protocol Settings. Gives the
 * client, the vault with its counters, `facts` (the bytes of memory that the core
 * has, and how often it has written and flushed records), how many ms it took to
 * start, and `close`.
 */
export async function startNodeHost({ folder, settings = {} }) {
	const { packed, wasmExec } = await core({ quick: true });
	const bridge = await importClient(wasmExec);
	const vault = new FolderVault(folder);
	const workerSource = await bundleWorker(wasmExec, { minify: false, banner: BANNER });
	const text = coreText(packed);
	const platform = {
		name: "linux",
		appVersion: "",
		language: "en",
		configDir: ".obsidian",
		linkFormat: "shortest",
		markdownLinks: false,
		utcOffsetMin: 0,
	};
	let latest;
	const source = () => ({
		text: async () => text,
		spawn: () => (latest = spawn(workerSource, join(folder, DEVICE))),
	});
	const sandbox = new bridge.SandboxHost(source());
	const followed = new Followed(folder);
	const client = new bridge.Client({
		source: source(),
		host: { ...hostOf(vault, bridge, followed), ...sandbox.methods() },
		hello: () => ({ platform, settings }),
		ended: () => sandbox.close(),
	});
	const began = performance.now();
	await client.start();
	const startMs = performance.now() - began;
	const worker = latest;
	return { client, vault, followed, startMs, facts: () => worker.facts(), close: () => client.dispose() };
}

/**
 * Runs a plan as a person would: as a saved action, reviewed and approved.
 * Gives the milliseconds of the simulation (to the open review) and of the run
 * (from the approval to the end), with the run's id.
 */
export async function runPlan(client, plan, name = "Benchmark") {
	const heard = waiter(client);
	try {
		const { simulate, review } = await openReview(client, heard, plan, name);
		const began = performance.now();
		await client.request("review.approve", { run: review.run, approval: review.approval });
		const { run } = await heard(
			(event) => event.type === "run.state" && event.run.state === "finished" && event,
		);
		const took = performance.now() - began;
		if (run.outcome !== "ok") throw new Error(`${run.outcome}: ${JSON.stringify(run.problem)}`);
		return { simulate, run: took, id: review.run };
	} finally {
		heard.end();
	}
}

/** Simulates a plan, and gives the milliseconds to its review, or to its answer where it only reads. Nothing is approved. */
export async function simulatePlan(client, plan, name = "Benchmark") {
	const heard = waiter(client);
	try {
		const { simulate, review } = await startPlan(client, heard, plan, name);
		if (review) await client.request("review.close", { run: review.run });
		return simulate;
	} finally {
		heard.end();
	}
}

async function openReview(client, heard, plan, name) {
	const { simulate, review } = await startPlan(client, heard, plan, name);
	if (!review) throw new Error("the plan only reads: there is no review");
	if (!review.approvable)
		throw new Error(`not approvable: ${JSON.stringify(review.problem ?? review.warnings)}`);
	return { simulate, review };
}

/** Runs a plan as a saved action up to its review, or to its answer. */
async function startPlan(client, heard, plan, name) {
	const actions = [{ id: "", name, plan }];
	const json = JSON.stringify({ format: "embedded-agent/actions", version: 1, actions });
	await client.request("actions.import", { json, confirm: true });
	const { id } = (await client.request("actions.list", {})).actions.find((action) => action.name === name);
	const began = performance.now();
	await client.request("actions.run", { id });
	const { review } = await heard((event) => {
		const problem = event.turn?.problem ?? event.review?.problem;
		if (problem) throw new Error(JSON.stringify(problem));
		return (event.type === "review.opened" || (event.type === "turn.ended" && event.turn.findings)) && event;
	});
	return { simulate: performance.now() - began, review };
}

/** Lets a caller wait for an event, also for one that came before it asked. */
function waiter(client) {
	const events = [];
	let wake = () => undefined;
	const end = client.subscribe((event) => {
		events.push(event);
		wake();
	});
	const wait = async (pick) => {
		for (;;) {
			while (events.length > 0) {
				const found = pick(events.shift());
				if (found) return found;
			}
			await new Promise((resolve) => (wake = resolve));
		}
	};
	return Object.assign(wait, { end });
}
