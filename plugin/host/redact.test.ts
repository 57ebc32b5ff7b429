import { expect, test } from "vitest";
import { Redaction } from "./redact";

const SECRET = 'sk/Ab+9="ü& zz7';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The output where the text arrives in pieces of so many bytes. */
function through(secrets: string[], text: string, size = Infinity): string {
	const redaction = new Redaction(secrets);
	const data = bytes(text);
	const out: number[] = [];
	for (let at = 0; at < data.length; at += Math.min(size, data.length))
		out.push(...redaction.next(data.subarray(at, Math.min(at + size, data.length))));
	out.push(...redaction.rest());
	return new TextDecoder().decode(Uint8Array.from(out));
}

const echoes: Record<string, string> = {
	"as it is": SECRET,
	"in an address": encodeURIComponent(SECRET),
	"in an address, in small letters": encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase()),
	"in JSON": JSON.stringify(SECRET).slice(1, -1),
};

for (const [name, echo] of Object.entries(echoes))
	test(`a secret that comes back ${name} is taken out, wherever the answer is cut`, () => {
		const text = `before ${echo} between ${echo}${echo} sk/Ab+ after sk`;
		for (let size = 1; size <= bytes(text).length; size++)
			expect(through([SECRET], text, size)).toBe(
				"before [redacted] between [redacted][redacted] sk/Ab+ after sk",
			);
	});

test("slashes that a server escapes hide nothing", () => {
	expect(through(["a/long/key"], '{"key":"a\\/long\\/key"}')).toBe('{"key":"[redacted]"}');
});

test("a secret within base64 is taken out, whatever stands around it there", () => {
	for (const around of ["", "B", "Be", "Bea", "Bearer ", "a longer start: "])
		for (const after of ["", "x", "xy", "xyz"])
			for (const form of ["base64", "base64url"] as const) {
				const coded = Buffer.from(around + SECRET + after).toString(form);
				const clean = through([SECRET], `{"h":"${coded}"}`, 5);
				expect(clean).toContain("[redacted]");
				const rest = /"h":"(.*)\[redacted\](.*)"/.exec(clean) ?? [];
				// The rest holds no whole character of the secret.
				expect(Buffer.from(rest[1] ?? "", form).toString()).toBe(around);
				expect((rest[2] ?? "").replace(/=/g, "").length).toBeLessThanOrEqual(
					2 + Math.ceil((after.length * 4) / 3),
				);
			}
});

test("of several secrets the longest is taken out where one begins another, and both where they overlap in time", () => {
	const both = ["token", "token-and-more"];
	for (let size = 1; size < 40; size++)
		expect(through(both, "token-and-more, token-and-less, token", size)).toBe(
			"[redacted], [redacted]-and-less, [redacted]",
		);
	for (let size = 1; size < 20; size++)
		expect(through(["abc", "xabcdef"], "xabcdef xabcde", size)).toBe("[redacted] x[redacted]de");
});

test("what holds no secret stays byte for byte, in as many pieces as it came", () => {
	const redaction = new Redaction([SECRET]);
	const noise = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256);
	const out: number[] = [];
	for (let at = 0; at < noise.length; at += 100) out.push(...redaction.next(noise.slice(at, at + 100)));
	out.push(...redaction.rest());
	expect(Uint8Array.from(out)).toEqual(noise);
});

test("a form that ordinary words have is not looked for", () => {
	expect(through(["ab"], "YWI= is ab, and aWI too")).toBe("YWI= is [redacted], and aWI too");
});

test("text of a header is cleaned without what was kept back of the body", () => {
	const redaction = new Redaction(["secret-word"]);
	expect(new TextDecoder().decode(redaction.next(bytes("one secret-")))).toBe("one ");
	expect(redaction.text("https://x.test/?k=secret-word")).toBe("https://x.test/?k=[redacted]");
	expect(new TextDecoder().decode(redaction.next(bytes("word two")))).toBe("[redacted] two");
});

test("an answer that is nothing but secrets is no hindrance", () => {
	// By the square of the length it would take minutes.
	const text = "secret-word".repeat(20_000);
	expect(through(["secret-word", "another-one"], text, 1 << 16)).toBe("[redacted]".repeat(20_000));
});
