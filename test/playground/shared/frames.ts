/**
 * The wire format between the page and the server: one WebSocket message is one frame,
 * `u32 little-endian header length | header as UTF-8 JSON | body bytes`.
 * A request header has `id` and `op`; its response has the same `id`; a frame without `id` is an event.
 */

/** What a file or folder is, as the server saw it: kind, creation and modification time in ms, size in bytes. */
export type WireStat = [kind: "file" | "folder", ctime: number, mtime: number, size: number];

/** One entry of the tree that is sent at connect: vault path, then its stat. */
export type WireEntry = [path: string, ...stat: WireStat];

export interface RequestHeader {
	id: number;
	op: string;
	path?: string;
	to?: string;
	/** True when the app itself writes (its layout and its options); such writes are neither counted nor failed. */
	app?: boolean;
	[key: string]: unknown;
}

export interface WireError {
	code: string;
	message: string;
}

export interface ResponseHeader {
	id: number;
	error?: WireError;
	result?: unknown;
}

/** Something changed in the folder that this page did not do. `stat` is missing when the path is gone. */
export interface ChangeEvent {
	event: "change";
	path: string;
	stat?: WireStat;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Joins header and body into one frame. */
export function encodeFrame(header: object, body?: Uint8Array): Uint8Array<ArrayBuffer> {
	const head = encoder.encode(JSON.stringify(header));
	const frame = new Uint8Array(4 + head.length + (body?.length ?? 0));
	new DataView(frame.buffer).setUint32(0, head.length, true);
	frame.set(head, 4);
	if (body) frame.set(body, 4 + head.length);
	return frame;
}

/** Splits a frame; the body is a view into it, not a copy. Throws on a frame that is too short or not JSON. */
export function decodeFrame(frame: Uint8Array): { header: unknown; body: Uint8Array } {
	if (frame.length < 4) throw new Error("A frame is at least four bytes long.");
	const length = new DataView(frame.buffer, frame.byteOffset, 4).getUint32(0, true);
	if (4 + length > frame.length) throw new Error("The header is longer than its frame.");
	const header: unknown = JSON.parse(decoder.decode(frame.subarray(4, 4 + length)));
	return { header, body: frame.subarray(4 + length) };
}
