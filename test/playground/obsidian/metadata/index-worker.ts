/** The worker that parses notes, so that indexing a large vault never blocks the window. */
import { getLinkpath } from "../paths";
import { decodeText } from "../text-codec";
import { parseNote } from "./parse";
import { getAllTags } from "./tags";

export interface IndexRequest {
	id: number;
	/** Bytes of each note, one after the other, and their sizes; -1 is a note that could not be read. */
	bytes: Uint8Array;
	sizes: number[];
}

export interface NoteRecord {
	/** The cache as JSON: a string is a tenth of the memory, and most are never asked for. */
	json: string;
	/** Link paths in the note, each as often as it is used. */
	refs: string[];
	tags: string[];
}

export interface IndexResponse {
	id: number;
	records: (NoteRecord | null)[];
}

function record(text: string): NoteRecord {
	const cache = parseNote(text);
	const all = [...(cache.links ?? []), ...(cache.embeds ?? []), ...(cache.frontmatterLinks ?? [])];
	const refs = all.map(({ link }) => getLinkpath(link)).filter((path) => path !== "");
	return { json: JSON.stringify(cache), refs, tags: getAllTags(cache) ?? [] };
}

self.addEventListener("message", (message: MessageEvent<IndexRequest>) => {
	const { id, bytes, sizes } = message.data;
	let at = 0;
	const records = sizes.map((size) => {
		if (size < 0) return null;
		const text = decodeText(bytes.subarray(at, at + size));
		at += size;
		return record(text);
	});
	const response: IndexResponse = { id, records };
	self.postMessage(response);
});
