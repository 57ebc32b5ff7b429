// Made by scripts/build/words.mjs of the files of this folder.

declare module "words:all" {
	/** English: the source, and the same files that the Go core embeds (i18n.go). */
	export const english: Record<string, string>;
	/**
	 * The other languages by their BCP 47 tags: JSON, deflated, in base91, with
	 * its length in bytes. The JSON is the words of English's keys in their order,
	 * null where there is none, and an object of what there is beside.
	 */
	export const packed: Record<string, { length: number; text: string }>;
}
