// Makes a screenshot small: 8-bit RGB(A) PNG in, PNG with a palette of at most
// 256 colours out (PNG specification, third edition). A picture of an interface
// has few colours; those it has most of are kept, the rest becomes the nearest.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The pixels of a PNG as Chromium writes it: 8 bits, RGB or RGBA, not interlaced. */
function decode(png) {
	if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("This is not a PNG.");
	const data = [];
	let header;
	for (let at = 8; at < png.length;) {
		const length = png.readUInt32BE(at);
		const type = png.toString("latin1", at + 4, at + 8);
		const body = png.subarray(at + 8, at + 8 + length);
		if (type === "IHDR") header = body;
		if (type === "IDAT") data.push(body);
		at += 12 + length;
	}
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	const channels = { 2: 3, 6: 4 }[header[9]];
	if (header[8] !== 8 || !channels || header[12] !== 0) throw new Error("A PNG of this kind is not read.");
	return {
		width,
		height,
		channels,
		bytes: unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels),
	};
}

/** Undoes the filters of the lines (section 9). */
function unfilter(raw, stride, height, step) {
	const out = Buffer.alloc(stride * height);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (stride + 1)];
		const from = y * (stride + 1) + 1;
		const to = y * stride;
		for (let x = 0; x < stride; x++) {
			const left = x >= step ? out[to + x - step] : 0;
			const up = y > 0 ? out[to + x - stride] : 0;
			const corner = x >= step && y > 0 ? out[to + x - step - stride] : 0;
			const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
			out[to + x] = raw[from + x] + guess;
		}
	}
	return out;
}

function paeth(left, up, corner) {
	const guess = left + up - corner;
	const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
	return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Every pixel's colour as one number, and how often each occurs. */
function colours({ width, height, channels, bytes }) {
	const pixels = new Uint32Array(width * height);
	const counts = new Map();
	for (let i = 0; i < pixels.length; i++) {
		const at = i * channels;
		const colour = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
		pixels[i] = colour;
		counts.set(colour, (counts.get(colour) ?? 0) + 1);
	}
	return { pixels, counts };
}

const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];

function distance(a, b) {
	const [ar, ag, ab] = parts(a);
	const [br, bg, bb] = parts(b);
	return 2 * (ar - br) ** 2 + 4 * (ag - bg) ** 2 + 3 * (ab - bb) ** 2;
}

/** Up to 256 colours: the most frequent first, each at some distance from those before. */
function choosePalette(counts) {
	const wanted = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
	for (const apart of [0, 40, 120, 300, 700, 1500]) {
		const palette = [];
		for (const colour of wanted) {
			if (apart > 0 && palette.some((other) => distance(colour, other) < apart)) continue;
			palette.push(colour);
			if (palette.length > 256) break;
		}
		if (palette.length <= 256) return palette;
	}
	return wanted.slice(0, 256);
}

function chunk(type, body) {
	const out = Buffer.alloc(12 + body.length);
	out.writeUInt32BE(body.length, 0);
	out.write(type, 4, "latin1");
	body.copy(out, 8);
	out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
	return out;
}

/** The same picture with a palette. */
export function reduce(png) {
	const image = decode(png);
	const { pixels, counts } = colours(image);
	const palette = choosePalette(counts);
	const nearest = new Map(palette.map((colour, i) => [colour, i]));
	const indexOf = (colour) => {
		let found = nearest.get(colour);
		if (found === undefined) {
			found = 0;
			palette.forEach((other, i) => {
				if (distance(colour, other) < distance(colour, palette[found])) found = i;
			});
			nearest.set(colour, found);
		}
		return found;
	};
	const { width, height } = image;
	const lines = Buffer.alloc((width + 1) * height); // filter 0 is the best one for a palette
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x]);
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 3, 0, 0, 0], 8);
	return Buffer.concat([
		SIGNATURE,
		chunk("IHDR", header),
		chunk("PLTE", Buffer.from(palette.flatMap(parts))),
		chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
		chunk("IEND", Buffer.alloc(0)),
	]);
}
