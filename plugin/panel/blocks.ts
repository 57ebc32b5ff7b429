// A reply that streams in is drawn block by block, so that each arrival renders
// the last block again and not the whole text.

/**
 * Cuts Markdown at blank lines outside of code fences and math blocks. Joined
 * with "\n\n" the blocks read as the text did; a block that is followed by
 * another will not change when more text arrives.
 */
export function blocks(text: string): string[] {
	const out: string[] = [];
	let block: string[] = [];
	let fence: string | null = null;
	const close = () => {
		if (block.length > 0) out.push(block.join("\n"));
		block = [];
	};
	for (const line of text.split("\n")) {
		const mark = /^\s*(```+|~~~+|\$\$)/.exec(line)?.[1];
		if (fence === null && mark) fence = closesItself(line, mark) ? null : mark;
		else if (fence !== null && mark?.startsWith(fence)) fence = null;
		// A line indented after a blank one belongs to the list item before it.
		if (fence === null && line.trim() === "") close();
		else if (block.length === 0 && /^\s+\S/.test(line) && out.length > 0) block = [out.pop() ?? "", "", line];
		else block.push(line);
	}
	close();
	return out;
}

function closesItself(line: string, mark: string): boolean {
	return mark === "$$" && line.trim().length > 2 && line.trimEnd().endsWith("$$");
}
