/** One page's connection: takes frames in, answers each, one write at a time and reads beside each other. */
import { relative, sep } from "node:path";
import type { WebSocket } from "ws";
import {
	decodeFrame,
	encodeFrame,
	type ChangeEvent,
	type RequestHeader,
	type WireStat,
} from "../shared/frames";
import type { Profile } from "../shared/profiles";
import { Disk } from "./disk";
import { DiskError, toWireError } from "./errors";
import { mutations, type Faults } from "./faults";
import { proxy } from "./proxy";
import type { SerialQueue } from "./queue";
import type { FolderWatcher } from "./watch";

/** What all sessions share. */
export interface Shared {
	root: string;
	watcher: FolderWatcher;
	writes: SerialQueue;
	faults: Faults;
	/** Tells the other pages what this one did. */
	broadcast(from: Session, event: ChangeEvent): void;
}

interface Answer {
	result?: unknown;
	body?: Uint8Array;
}

/** How many files one `readMany` may ask for. */
const readManyLimit = 1000;

export class Session {
	private readonly disk: Disk;
	private readonly generation: number;

	constructor(
		private readonly socket: WebSocket,
		private readonly shared: Shared,
		private readonly profile: Profile,
	) {
		this.disk = new Disk(shared.root, profile);
		this.generation = shared.faults.generation;
		socket.on("message", (data) => void this.receive(data as Buffer));
	}

	/** Sends an event; a page whose disk was killed hears nothing any more. */
	send(event: ChangeEvent): void {
		if (!this.shared.faults.isDead(this.generation)) this.socket.send(encodeFrame(event));
	}

	private async receive(data: Buffer): Promise<void> {
		let frame: ReturnType<typeof decodeFrame>;
		try {
			frame = decodeFrame(data);
		} catch (error) {
			console.warn("A page sent what is not a frame, so it is disconnected.", error);
			this.socket.terminate();
			return;
		}
		const request = frame.header as RequestHeader;
		const { body } = frame;
		if (this.shared.faults.isDead(this.generation)) return;
		const latency = this.shared.faults.latencyOf(request);
		try {
			const work = () => this.perform(request, body, latency);
			const answer = mutations.has(request.op) ? await this.shared.writes.run(work) : await work();
			if (answer === undefined || this.shared.faults.isDead(this.generation)) return;
			this.socket.send(encodeFrame({ id: request.id, result: answer.result }, answer.body));
		} catch (error) {
			if (this.shared.faults.isDead(this.generation)) return;
			const path = error instanceof DiskError ? error.path : (request.path ?? "");
			this.socket.send(
				encodeFrame({ id: request.id, error: toWireError(error, this.profile, request.op, path) }),
			);
		}
	}

	/** Does one call, or returns undefined when it is never to be answered. */
	private async perform(
		request: RequestHeader,
		body: Uint8Array,
		latency: number,
	): Promise<Answer | undefined> {
		if (this.shared.faults.isDead(this.generation)) return undefined;
		if (latency > 0 && !request.app) await new Promise((resolve) => setTimeout(resolve, latency));
		const verdict = this.shared.faults.judge(request);
		const path = request.path ?? "";
		switch (verdict.kind) {
			case "silent":
				this.shared.faults.kill();
				return undefined;
			case "torn":
				await this.disk.tear(request.op, path, body, verdict.bytes);
				this.changed(path);
				this.shared.faults.kill();
				return undefined;
			case "fail":
				throw new DiskError(verdict.code, verdict.text, path);
			case "go":
				return mutations.has(request.op) ? this.mutate(request, body) : this.ask(request, body);
		}
	}

	private async ask(request: RequestHeader, body: Uint8Array): Promise<Answer> {
		const path = request.path ?? "";
		switch (request.op) {
			case "tree":
				return { result: this.shared.watcher.tree() };
			case "stat":
				return { result: (await this.disk.stat(path, request["sensitive"] === true)) ?? null };
			case "list":
				return { result: await this.disk.list(path) };
			case "read":
				return { body: await this.disk.read(path) };
			case "readMany":
				return this.readMany(request["paths"]);
			case "request": {
				const answer = await proxy(
					{
						url: String(request["url"]),
						method: String(request["method"]),
						headers: request["headers"] as Record<string, string>,
					},
					body,
				);
				return { result: { status: answer.status, headers: answer.headers }, body: answer.body };
			}
			default:
				throw new Error(`The playground's server does not know the call "${request.op}".`);
		}
	}

	/** Sizes of the files in order (-1: not readable), and their bytes one after the other. */
	private async readMany(paths: unknown): Promise<Answer> {
		if (!Array.isArray(paths) || paths.length > readManyLimit)
			throw new Error(`readMany takes up to ${readManyLimit} paths.`);
		const parts: Uint8Array[] = [];
		const sizes: number[] = [];
		for (const path of paths) {
			try {
				const bytes = await this.disk.read(String(path));
				parts.push(bytes);
				sizes.push(bytes.length);
			} catch {
				// A note that vanished meanwhile has no metadata; its removal is reported by the watcher.
				sizes.push(-1);
			}
		}
		return { result: sizes, body: Buffer.concat(parts) };
	}

	private async mutate(request: RequestHeader, body: Uint8Array): Promise<Answer> {
		const path = request.path ?? "";
		const to = request.to ?? "";
		const times = typeof request["mtime"] === "number" ? { mtime: request["mtime"] } : {};
		switch (request.op) {
			case "write":
				await this.disk.write(path, body, times, request["exclusive"] === true);
				return { result: this.changed(path) };
			case "append":
				await this.disk.append(path, body, times);
				return { result: this.changed(path) };
			case "mkdir":
				await this.disk.mkdir(path);
				return { result: this.changed(path) };
			case "remove":
				return { result: await this.vanish(path, () => this.disk.remove(path)) };
			case "rmdir":
				return {
					result: await this.vanish(path, () => this.disk.rmdir(path, request["recursive"] === true)),
				};
			case "rename":
				await this.vanish(path, () => this.disk.rename(path, to));
				return { result: this.changed(to) };
			case "copy":
				await this.disk.copy(path, to);
				return { result: this.changed(to) };
			default: {
				let trashed = "";
				await this.vanish(path, async () => void (trashed = await this.disk.trash(path)));
				return { result: trashed };
			}
		}
	}

	/** Runs what takes a path away; the real spelling is looked up before it is gone. */
	private async vanish(path: string, work: () => Promise<void>): Promise<undefined> {
		const real = relative(this.shared.root, this.disk.resolve(path));
		await work();
		this.record(real, path);
		return undefined;
	}

	private changed(path: string): WireStat | undefined {
		return this.record(relative(this.shared.root, this.disk.resolve(path)), path);
	}

	private record(real: string, path: string): WireStat | undefined {
		const stat = this.shared.watcher.note(real.split(sep).join("/"));
		this.shared.broadcast(this, stat ? { event: "change", path, stat } : { event: "change", path });
		return stat;
	}
}
