// Things that go along with a message: how they are called, and images that are
// not in the vault.

import type { Attachment } from "../../../protocol";
import type { Named } from "../../../app/port";

/** How many things may go along with one message. */
export const mostAttached = 20;
/** How many of them may be images. */
export const mostImages = 4;
/** Bytes of an image file that is still opened. */
export const largestImage = 20_000_000;
/** Pixels of the longer side that an image is reduced to. */
export const longestSide = 1568;
/** Bytes of an image that go along as they are. */
const smallImage = 400_000;

/** The types of images that models read. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The name that a thing is shown by. */
export function shownName({ kind, path = "", name = "" }: Attachment): string {
	if (kind === "tag") return name;
	if (kind === "heading") return `${baseName(path)} › ${name}`;
	if (kind === "folder") return `${path}/`;
	return kind === "note" ? baseName(path) : (path.split("/").pop() ?? "") || name;
}

/** The words that stand for a thing in the message. */
export function written({ kind, path, name }: Named): string {
	switch (kind) {
		case "tag":
			return name;
		case "folder":
			return `“${path}”`;
		case "heading":
			return `[[${withoutExtension(path)}#${name}]]`;
		case "note":
			return `[[${withoutExtension(path)}]]`;
		case "image":
			return `[[${path}]]`;
	}
}

function baseName(path: string): string {
	return withoutExtension(path.split("/").pop() ?? path);
}

function withoutExtension(path: string): string {
	return path.replace(/\.md$/i, "");
}

/** Whether two are the same thing. */
export function same(a: Attachment, b: Attachment): boolean {
	return (
		a.kind === b.kind &&
		(a.path ?? "") === (b.path ?? "") &&
		(a.name ?? "") === (b.name ?? "") &&
		(a.data ?? "") === (b.data ?? "")
	);
}

/** The icon of a kind of thing. */
export const icons: Record<string, string> = {
	note: "file-text",
	folder: "folder",
	tag: "tag",
	heading: "heading",
	image: "image",
};

/**
 * An image file as it goes along with a message: a large one is drawn anew, no
 * longer than longestSide. Null for what cannot be read as an image.
 */
export async function imageOf(file: File): Promise<Attachment | null> {
	if (file.size > largestImage || !imageTypes.includes(file.type)) return null;
	let bitmap: ImageBitmap;
	try {
		bitmap = await createImageBitmap(file);
	} catch {
		return null;
	}
	try {
		const scale = longestSide / Math.max(bitmap.width, bitmap.height);
		if (scale >= 1 && file.size <= smallImage)
			return { kind: "image", name: file.name, type: file.type, data: await base64(file) };
		const blob = await drawn(bitmap, Math.min(1, scale));
		return blob && { kind: "image", name: file.name, type: blob.type, data: await base64(blob) };
	} finally {
		bitmap.close();
	}
}

function drawn(bitmap: ImageBitmap, scale: number): Promise<Blob | null> {
	const canvas = createEl("canvas");
	canvas.width = Math.max(1, Math.round(bitmap.width * scale));
	canvas.height = Math.max(1, Math.round(bitmap.height * scale));
	const context = canvas.getContext("2d");
	if (!context) return Promise.resolve(null);
	// JPEG has no transparency: what shows through is white, as on paper.
	context.fillStyle = "white";
	context.fillRect(0, 0, canvas.width, canvas.height);
	context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
	return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
}

function base64(blob: Blob): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => {
			const url = typeof reader.result === "string" ? reader.result : "";
			resolve(url.slice(url.indexOf(",") + 1));
		};
		reader.onerror = () => reject(reader.error ?? new Error("The image could not be read."));
		reader.readAsDataURL(blob);
	});
}
