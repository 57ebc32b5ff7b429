/** The metadata cache: what it holds, and that it lags. */
import type { CachedMetadata } from "obsidian";
import { equal, makeIndexed, ok, until, type ContractCase } from "./host";

const sample = [
	"---",
	"tags: [alpha, beta]",
	"related: '[[Contract front]]'",
	"---",
	"# Heading *one* #inline",
	"",
	"Text with [[Contract link|shown]] and ![[Contract embed#Part]] and [md](Contract%20md.md).",
	"A [web](https://example.org) link and `[[code]]` are none. ^block-one",
	"",
	"- item",
	"\t- [x] nested #tag/sub",
	"- [ ] open",
	"",
	"```",
	"[[fenced]] #fenced",
	"```",
	"",
	"> [!note] Callout",
	"> inside",
	"",
	"## Second",
	"",
].join("\n");

function slice(cache: CachedMetadata, key: "links" | "embeds"): unknown {
	return cache[key]?.map(({ link, original, displayText }) => [link, original, displayText]);
}

export const cacheCases: ContractCase[] = [
	{
		behaviour: "cache.content",
		async run(host) {
			const file = await makeIndexed(host, "sample.md", sample);
			const cache = host.app.metadataCache.getFileCache(file);
			ok(cache !== null, "there is a cache");
			if (!cache) return;
			equal(slice(cache, "links"), [
				["Contract link", "[[Contract link|shown]]", "shown"],
				["Contract md.md", "[md](Contract%20md.md)", "md"],
			]);
			equal(slice(cache, "embeds"), [
				["Contract embed#Part", "![[Contract embed#Part]]", "Contract embed > Part"],
			]);
			equal(
				cache.tags?.map(({ tag }) => tag),
				["#inline", "#tag/sub"],
			);
			equal(
				cache.headings?.map(({ heading, level }) => [heading, level]),
				[
					["Heading *one* #inline", 1],
					["Second", 2],
				],
			);
			equal(cache.frontmatter?.["tags"], ["alpha", "beta"]);
			equal(
				cache.frontmatterLinks?.map(({ key, link }) => [key, link]),
				[["related", "Contract front"]],
			);
			equal(Object.keys(cache.blocks ?? {}), ["block-one"]);
			equal(
				cache.sections?.map(({ type }) => type),
				["yaml", "heading", "paragraph", "list", "code", "callout", "heading"],
			);
			equal(host.obsidian.getAllTags(cache), ["#alpha", "#beta", "#inline", "#tag/sub"]);
		},
	},
	{
		behaviour: "cache.positions",
		async run(host) {
			const file = await makeIndexed(host, "sample.md", sample);
			const cache = host.app.metadataCache.getFileCache(file);
			const link = cache?.links?.[0]?.position;
			equal(sample.slice(link?.start.offset, link?.end.offset), "[[Contract link|shown]]");
			equal([link?.start.line, link?.start.col], [6, 10]);
			const tag = cache?.tags?.[1]?.position;
			equal(sample.slice(tag?.start.offset, tag?.end.offset), "#tag/sub");
			equal(cache?.frontmatterPosition?.end.offset, sample.indexOf("\n# Heading"));
		},
	},
	{
		behaviour: "cache.lists",
		async run(host) {
			const file = await makeIndexed(host, "sample.md", sample);
			const items = host.app.metadataCache.getFileCache(file)?.listItems ?? [];
			equal(
				items.map(({ parent, task, position }) => [position.start.line, parent, task ?? null]),
				[
					[9, -9, null],
					[10, 9, "x"],
					[11, -9, " "],
				],
			);
		},
	},
	{
		behaviour: "cache.lag",
		async run(host) {
			const { metadataCache, vault } = host.app;
			const file = await makeIndexed(host, "a.md", "# Before\n");
			const heading = (): string | undefined => metadataCache.getFileCache(file)?.headings?.[0]?.heading;
			await vault.modify(file, "# After\n");
			equal(heading(), "Before", "right after the write");
			await until(() => heading() === "After", "the cache follows");
		},
	},
	{
		behaviour: "cache.changed",
		async run(host) {
			const { metadataCache, vault } = host.app;
			const file = await makeIndexed(host, "a.md", "# Before\n");
			const heard: string[] = [];
			const ref = metadataCache.on("changed", (one, data, cache) => {
				if (one === file) heard.push(`${data.trim()} ${cache.headings?.[0]?.heading}`);
			});
			try {
				await vault.modify(file, "# After\n");
				await until(() => heard.length > 0, "changed fires");
				await vault.rename(file, `${host.folder}/b.md`);
				equal(metadataCache.getFileCache(file)?.headings?.[0]?.heading, "After", "the cache moved along");
				// A second note's `changed` comes after whatever the rename would have caused.
				await makeIndexed(host, "c.md", "# Later\n");
				equal(heard, ["# After After"]);
			} finally {
				metadataCache.offref(ref);
			}
		},
	},
	{
		behaviour: "cache.links",
		async run(host) {
			const { metadataCache, vault } = host.app;
			const source = await makeIndexed(host, "source.md", "[[Contract later]] [[Contract later]]");
			await until(
				() => metadataCache.unresolvedLinks[source.path]?.["Contract later"] === 2,
				"the link is unresolved",
			);
			const target = await makeIndexed(host, "Contract later.md", "x");
			await until(
				() => metadataCache.resolvedLinks[source.path]?.[target.path] === 2,
				"the link is resolved",
			);
			await vault.delete(target);
			await until(
				() => metadataCache.unresolvedLinks[source.path]?.["Contract later"] === 2,
				"it is unresolved again",
			);
		},
	},
	{
		behaviour: "cache.subpath",
		async run(host) {
			const file = await makeIndexed(host, "sample.md", sample);
			const cache = host.app.metadataCache.getFileCache(file);
			if (!cache) throw new Error("there is no cache");
			const { resolveSubpath } = host.obsidian;
			equal(resolveSubpath(cache, "#Second")?.type, "heading");
			equal(resolveSubpath(cache, "#^block-one")?.type, "block");
			equal(resolveSubpath(cache, "#Nothing"), null);
		},
	},
];
