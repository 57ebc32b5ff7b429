// Made by scripts/build/words.mjs of the files of this folder.

declare module "words:all" {
	/** JSON, deflated, in base64. */
	export interface Packed {
		/** Bytes of the JSON. */
		size: number;
		text: string;
	}
	/** The words of the settings ("settings." and what follows), and all others. */
	export type Lot = "settings" | "rest";
	/** The lot that holds the word of a key. */
	export const lotOf: (key: string) => Lot;
	/** English: the source, and the same files that the Go core embeds (i18n.go). JSON of words by key, or the same packed. */
	export const source: Record<Lot, () => string | Packed>;
	/**
	 * The other languages by their BCP 47 tags: the words of English's keys in
	 * their order, null where there is none, and an object of what there is beside.
	 */
	export const packed: Record<string, Record<Lot, () => Packed>>;
	/** By language, the words that are asked for when the app starts. */
	export const first: Record<string, Record<string, string>>;
}

// tiny-inflate has no types of its own.
declare module "tiny-inflate" {
	/** Inflates raw deflated bytes (RFC 1951) into a buffer that is large enough; gives what was filled of it. */
	export default function inflate(source: Uint8Array, into: Uint8Array): Uint8Array;
}
