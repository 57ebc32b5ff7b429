/** The file manager: links, trash, front matter. */
import { equal, make, makeIndexed, ok, rejects, until, type ContractCase, type ContractHost } from "./host";

interface Configurable {
	getConfig?: (key: string) => unknown;
	setConfig?: (key: string, value: unknown) => void;
}

/** Runs with one of the app's options set; false where the app does not let it be set. */
async function withOption(
	host: ContractHost,
	key: string,
	value: unknown,
	work: () => Promise<void>,
): Promise<boolean> {
	const vault = host.app.vault as unknown as Configurable;
	if (!vault.getConfig || !vault.setConfig) return false;
	const before = vault.getConfig(key);
	vault.setConfig(key, value);
	try {
		await work();
	} finally {
		vault.setConfig(key, before);
	}
	return true;
}

async function linked(host: ContractHost, source: string, target: string): Promise<void> {
	const { metadataCache } = host.app;
	await until(
		() => metadataCache.resolvedLinks[source]?.[target] !== undefined,
		`${source} links to ${target}`,
	);
}

export const fileCases: ContractCase[] = [
	{
		behaviour: "links.renameFile",
		async run(host) {
			const target = await makeIndexed(host, "Contract target.md", "# Part\n");
			const text = [
				'---\nup: "[[Contract target]]"\n---',
				"[[Contract target]] [[Contract target|alias]] [[Contract target#Part]] ![[Contract target]]",
				"[text](Contract%20target.md) `[[Contract target]]` [[Contract other]]",
			].join("\n");
			const source = await makeIndexed(host, "source.md", text);
			await linked(host, source.path, target.path);
			await withOption(host, "alwaysUpdateLinks", true, () =>
				host.app.fileManager.renameFile(target, `${host.folder}/Contract moved.md`),
			);
			await until(
				async () => (await host.app.vault.read(source)).includes("Contract moved"),
				"the links are rewritten",
			);
			const expected = [
				'---\nup: "[[Contract moved]]"\n---',
				"[[Contract moved]] [[Contract moved|alias]] [[Contract moved#Part]] ![[Contract moved]]",
				"[text](Contract%20moved.md) `[[Contract target]]` [[Contract other]]",
			].join("\n");
			equal(await host.app.vault.read(source), expected);
		},
	},
	{
		behaviour: "links.vaultRename",
		async run(host) {
			const target = await makeIndexed(host, "Contract plain.md", "");
			const source = await makeIndexed(host, "source.md", "[[Contract plain]]");
			await linked(host, source.path, target.path);
			await host.app.vault.rename(target, `${host.folder}/Contract renamed.md`);
			equal(await host.app.vault.read(source), "[[Contract plain]]");
		},
	},
	{
		behaviour: "links.resolve",
		async run(host) {
			const { vault, metadataCache } = host.app;
			await vault.createFolder(`${host.folder}/deep/er`);
			const near = await make(host, "Contract same.md");
			const far = await make(host, "deep/er/Contract same.md");
			const only = await make(host, "deep/Contract only.md");
			const resolve = (link: string, source: string) =>
				metadataCache.getFirstLinkpathDest(link, source)?.path ?? null;
			equal(resolve("Contract only", near.path), only.path, "by name");
			equal(resolve("contract ONLY", near.path), only.path, "whatever the case");
			equal(resolve("Contract same", `${host.folder}/deep/er/x.md`), far.path, "the one beside the source");
			equal(resolve("er/Contract same", near.path), far.path, "by the end of its path");
			equal(resolve("Contract nothing", near.path), null);
			equal(resolve("", near.path), near.path, "the note itself");
		},
	},
	{
		behaviour: "links.linktext",
		async run(host) {
			const { vault, metadataCache } = host.app;
			await vault.createFolder(`${host.folder}/deep`);
			const only = await make(host, "Contract unique.md");
			equal(metadataCache.fileToLinktext(only, ""), "Contract unique");
			equal(metadataCache.fileToLinktext(only, "", false), "Contract unique.md");
			const first = await make(host, "Contract twice.md");
			await make(host, "deep/Contract twice.md");
			equal(metadataCache.fileToLinktext(first, ""), first.path.slice(0, -3));
		},
	},
	{
		behaviour: "links.generate",
		async run(host) {
			const file = await make(host, "Contract generated.md");
			const { fileManager } = host.app;
			await withOption(host, "useMarkdownLinks", false, async () => {
				equal(fileManager.generateMarkdownLink(file, "x.md"), "[[Contract generated]]");
				equal(
					fileManager.generateMarkdownLink(file, "x.md", "#Part", "alias"),
					"[[Contract generated#Part|alias]]",
				);
			});
			await withOption(host, "useMarkdownLinks", true, async () => {
				equal(
					fileManager.generateMarkdownLink(file, "x.md"),
					"[Contract generated](Contract%20generated.md)",
				);
			});
		},
	},
	{
		behaviour: "trash.local",
		async run(host) {
			const { vault, fileManager } = host.app;
			const name = `Contract trash ${Date.now()}.md`;
			await withOption(host, "trashOption", "local", async () => {
				for (const text of ["first", "second"]) await fileManager.trashFile(await make(host, name, text));
				equal(await vault.adapter.read(`.trash/${name}`), "first");
				const { files } = await vault.adapter.list(".trash");
				const both = files.filter((path) => path.includes(name.slice(0, -3)));
				equal(both.length, 2, "two files of one name in the bin");
				for (const path of both) await vault.adapter.remove(path);
			});
		},
	},
	{
		behaviour: "trash.none",
		async run(host) {
			const file = await make(host, "Contract gone.md");
			await withOption(host, "trashOption", "none", () => host.app.fileManager.trashFile(file));
			equal(await host.app.vault.adapter.exists(file.path), false);
			equal(await host.app.vault.adapter.exists(`.trash/${file.name}`), false);
		},
	},
	{
		behaviour: "trash.folder",
		async run(host) {
			await host.app.vault.createFolder(`${host.folder}/bin`);
			const inner = await make(host, "bin/a.md");
			const folder = host.app.vault.getFolderByPath(`${host.folder}/bin`);
			ok(folder !== null, "the folder is in the index");
			await withOption(host, "trashOption", "local", async () => {
				if (folder) await host.app.fileManager.trashFile(folder);
			});
			equal(host.app.vault.getAbstractFileByPath(inner.path), null);
		},
	},
	{
		behaviour: "frontmatter.process",
		async run(host) {
			const file = await make(host, "a.md", "---\ntitle: old\n---\nbody\n");
			await host.app.fileManager.processFrontMatter(file, (frontmatter: Record<string, unknown>) => {
				equal(frontmatter["title"], "old");
				frontmatter["title"] = "new";
				frontmatter["tags"] = ["a", "b"];
			});
			equal(await host.app.vault.read(file), "---\ntitle: new\ntags:\n  - a\n  - b\n---\nbody\n");
			const plain = await make(host, "b.md", "body\n");
			await host.app.fileManager.processFrontMatter(plain, (frontmatter: Record<string, unknown>) => {
				frontmatter["a"] = 1;
			});
			equal(await host.app.vault.read(plain), "---\na: 1\n---\nbody\n");
		},
	},
	{
		behaviour: "frontmatter.broken",
		async run(host) {
			const text = "---\ntags: [a\n---\nbody\n";
			const file = await make(host, "a.md", text);
			await rejects(
				host.app.fileManager.processFrontMatter(file, () => undefined),
				/./,
			);
			equal(await host.app.vault.read(file), text);
		},
	},
];
