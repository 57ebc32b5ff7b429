/** The page's end of the WebSocket: calls by number, many in flight, answers in any order. */
import {
	decodeFrame,
	encodeFrame,
	type ChangeEvent,
	type RequestHeader,
	type ResponseHeader,
} from "../shared/frames";

export interface Reply {
	result: unknown;
	body: Uint8Array;
}

interface Waiting {
	resolve(reply: Reply): void;
	reject(error: Error): void;
}

/** An error that the disk or the network reported, with its code (`ENOENT`, …). */
export class HostError extends Error {
	constructor(
		readonly code: string,
		message: string,
	) {
		super(message);
		this.name = "Error";
	}
}

export class Connection {
	private next = 1;
	private readonly waiting = new Map<number, Waiting>();
	/** Told of every change that somebody else made. */
	onChange: (change: ChangeEvent) => void = () => undefined;
	/** Told once when the server is gone. */
	onClose: () => void = () => undefined;

	private constructor(private readonly socket: WebSocket) {
		socket.binaryType = "arraybuffer";
		socket.addEventListener("message", (message) =>
			this.receive(new Uint8Array(message.data as ArrayBuffer)),
		);
		socket.addEventListener("close", () => this.closed());
	}

	/** Connects to the server that served this page. */
	static open(token: string, profile: string): Promise<Connection> {
		const address = new URL("/ws", location.href);
		address.protocol = address.protocol.replace("http", "ws");
		address.searchParams.set("token", token);
		address.searchParams.set("profile", profile);
		const socket = new WebSocket(address);
		return new Promise((resolve, reject) => {
			socket.addEventListener("open", () => resolve(new Connection(socket)), { once: true });
			socket.addEventListener(
				"error",
				() => reject(new Error("The playground's server cannot be reached.")),
				{
					once: true,
				},
			);
		});
	}

	/** Makes one call. Rejects with a `HostError`. Never settles when the disk was told to fall silent. */
	call(op: string, fields: Omit<RequestHeader, "id" | "op"> = {}, body?: Uint8Array): Promise<Reply> {
		const id = this.next++;
		return new Promise((resolve, reject) => {
			if (this.socket.readyState !== WebSocket.OPEN) {
				reject(new HostError("EIO", "The playground's server has gone away."));
				return;
			}
			this.waiting.set(id, { resolve, reject });
			this.socket.send(encodeFrame({ ...fields, id, op }, body));
		});
	}

	private receive(frame: Uint8Array): void {
		const { header, body } = decodeFrame(frame);
		const message = header as ResponseHeader | ChangeEvent;
		if ("event" in message) {
			this.onChange(message);
			return;
		}
		const waiting = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (!waiting) return;
		if (message.error) waiting.reject(new HostError(message.error.code, message.error.message));
		else waiting.resolve({ result: message.result, body });
	}

	private closed(): void {
		for (const waiting of this.waiting.values())
			waiting.reject(new HostError("EIO", "The playground's server has gone away."));
		this.waiting.clear();
		this.onClose();
	}
}
