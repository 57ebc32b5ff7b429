// Stands in for the core on the development page, which has none: the plainest
// Markdown as the parts that the panel draws.

import type { ReplyNode, ReplyTree } from "../../plugin/protocol";

const text = (text: string): ReplyNode => ({ kind: "text", text });

function words(line: string): ReplyNode[] {
	return line.split(/(\*\*[^*]+\*\*|`[^`]+`)/).flatMap((part) => {
		if (part === "") return [];
		if (part.startsWith("**")) return [{ kind: "strong", kids: [text(part.slice(2, -2))] }];
		return [part.startsWith("`") ? { kind: "verbatim", text: part.slice(1, -1) } : text(part)];
	});
}

function block(source: string): ReplyNode {
	const lines = source.split("\n");
	const fence = /^```(.*)\n([^]*?)(\n```)?$/.exec(source);
	if (fence) return { kind: "code", info: fence[1] ?? "", text: fence[2] ?? "" };
	const heading = /^(#+) (.*)$/.exec(source);
	if (heading) return { kind: "heading", level: heading[1]?.length ?? 1, kids: words(heading[2] ?? "") };
	const marker = /^(?:[-*]|(\d+)\.) /;
	if (!lines.every((line) => marker.test(line))) return { kind: "paragraph", kids: words(source) };
	const items = lines.map((line): ReplyNode => {
		const kids: ReplyNode[] = [{ kind: "tight", kids: words(line.replace(marker, "")) }];
		const number = marker.exec(line)?.[1];
		return number ? { kind: "item", text: number, kids } : { kind: "item", kids };
	});
	return { kind: "list", ordered: /^\d/.test(source), kids: items };
}

/** A text as it is drawn; the last of its blocks may still grow. */
export function drawn(source: string): ReplyTree {
	const parts = source.split(/\n\n+/).filter((part) => part !== "");
	const last = parts.at(-1) ?? "";
	return { blocks: parts.map(block), ready: Math.max(0, parts.length - 1), at: source.lastIndexOf(last) };
}
