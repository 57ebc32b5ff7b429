import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ReplyNode, ReplyText, ReplyTree } from "../../../protocol";
import { Drawing } from "./drawing.svelte";

beforeEach(() => {
	vi.useFakeTimers();
	vi.stubGlobal("window", globalThis);
});
afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

/** Paragraphs between blank lines; the last may grow. */
function core(asked: ReplyText[]) {
	return (part: ReplyText): Promise<ReplyTree | undefined> => {
		asked.push(part);
		const parts = part.text.split("\n\n");
		const blocks = parts.map((text): ReplyNode => ({ kind: "plain", text }));
		const at = part.text.length - (parts.at(-1) ?? "").length;
		return Promise.resolve({
			blocks,
			ready: parts.length - 1,
			at,
			drawn: (part.drawn ?? 0) + parts.length - 1,
		});
	};
}

const texts = (drawing: Drawing) => drawing.blocks.map((block) => block.text);

it("what is settled is not read again, and stays the same object", async () => {
	const asked: ReplyText[] = [];
	const drawing = new Drawing(core(asked));
	drawing.show("one\n\ntw");
	await vi.runAllTimersAsync();
	const [first] = drawing.blocks;
	drawing.show("one\n\ntwo\n\nthree");
	await vi.runAllTimersAsync();
	expect(texts(drawing)).toEqual(["one", "two", "three"]);
	expect(drawing.blocks[0]).toBe(first);
	expect(asked.map(({ text, drawn }) => [text, drawn])).toEqual([
		["one\n\ntw", 0],
		["two\n\nthree", 1],
	]);
});

it("however fast a text grows, it is drawn at most once in a while, and whole at the end", async () => {
	const asked: ReplyText[] = [];
	const drawing = new Drawing(core(asked));
	let text = "";
	for (let i = 0; i < 1000; i++) {
		drawing.show((text += "word "));
		await vi.advanceTimersByTimeAsync(1);
	}
	await vi.runAllTimersAsync();
	expect(texts(drawing)).toEqual([text]);
	expect(asked.length).toBeLessThan(40);
});

it("a text that begins anew is drawn from its beginning", async () => {
	const asked: ReplyText[] = [];
	const drawing = new Drawing(core(asked));
	drawing.show("one\n\ntwo");
	await vi.runAllTimersAsync();
	drawing.show("other\n\nwords");
	await vi.runAllTimersAsync();
	expect(texts(drawing)).toEqual(["other", "words"]);
	expect(asked.at(-1)).toEqual({ text: "other\n\nwords", drawn: 0 });
});

it("what the core cannot read is shown as it was written, and read again when there is more", async () => {
	const asked: ReplyText[] = [];
	const answers: (ReplyTree | undefined)[] = [undefined, { blocks: [{ kind: "paragraph" }] }];
	const drawing = new Drawing((part) => {
		asked.push(part);
		return Promise.resolve(answers[asked.length - 1]);
	});
	drawing.show("<b>one");
	await vi.runAllTimersAsync();
	expect(drawing.blocks).toEqual([{ kind: "plain", text: "<b>one" }]);
	drawing.show("<b>one</b>");
	await vi.runAllTimersAsync();
	expect(drawing.blocks).toEqual([{ kind: "paragraph" }]);
});

it("nothing is drawn after its end", async () => {
	const drawing = new Drawing(core([]));
	drawing.show("one");
	drawing.end();
	await vi.runAllTimersAsync();
	expect(drawing.blocks).toEqual([]);
});
