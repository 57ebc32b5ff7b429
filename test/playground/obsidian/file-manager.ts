import type { App } from "./app";
import type { DataWriteOptions } from "./adapter";
import { ConfirmationModal } from "./confirmation";
import { TFile, TFolder, type TAbstractFile } from "./files";
import { encodeLink, findLinks, updateLinks } from "./link-update";
import { joinPath, normalizePath, parentPath, splitName } from "./paths";
import { Vault } from "./vault";
import { getFrontMatterInfo, parseYaml, stringifyYaml } from "./yaml";

/** What a person would do with files: with links kept up to date and options respected. */
export class FileManager {
	constructor(private readonly app: App) {}

	/** Where a new note goes, by the option "Default location for new notes". */
	getNewFileParent(sourcePath: string, _newFilePath?: string): TFolder {
		const { vault } = this.app;
		const location = vault.getConfig("newFileLocation");
		if (location === "current") return vault.getFolderByPath(parentPath(sourcePath)) ?? vault.getRoot();
		if (location === "folder")
			return (
				vault.getFolderByPath(normalizePath(String(vault.getConfig("newFileFolderPath")))) ?? vault.getRoot()
			);
		return vault.getRoot();
	}

	/** Makes the note that a link to nothing stands for; folders in the link are made too. */
	async createNewNote(linkpath: string, sourcePath: string): Promise<TFile> {
		const clean = normalizePath(linkpath);
		const path = clean.includes("/") ? clean : joinPath(this.getNewFileParent(sourcePath).path, clean);
		const folder = parentPath(path);
		if (!this.app.vault.getFolderByPath(folder)) await this.app.vault.createFolder(folder);
		return this.app.vault.create(path.endsWith(".md") ? path : `${path}.md`, "");
	}

	/** Moves, and rewrites the links of other notes as the cache knows them. */
	async renameFile(file: TAbstractFile, newPath: string): Promise<void> {
		const moved = new Set<TFile>();
		if (file instanceof TFile) moved.add(file);
		else if (file instanceof TFolder)
			Vault.recurseChildren(file, (one) => one instanceof TFile && moved.add(one));
		const links = findLinks(this.app, moved);
		await this.app.vault.rename(file, newPath);
		if (links.size > 0 && (await this.mayUpdateLinks(links.size))) await updateLinks(this.app, links);
	}

	async trashFile(file: TAbstractFile): Promise<void> {
		const option = this.app.vault.getConfig("trashOption");
		if (option === "none") await this.app.vault.delete(file, true);
		else await this.app.vault.trash(file, option === "system");
	}

	promptForDeletion(file: TAbstractFile): Promise<boolean> {
		return new Promise((resolve) => {
			let answer = false;
			const modal = new ConfirmationModal(this.app);
			modal.setTitle(file instanceof TFolder ? "Delete folder" : "Delete file");
			modal.setContent(`Are you sure you want to delete "${file.name}"?`);
			modal.addButton((button) =>
				button
					.setButtonText("Delete")
					.setWarning()
					.setInitialFocus()
					.onClick(async () => {
						answer = true;
						await this.trashFile(file);
					}),
			);
			modal.addCancelButton();
			modal.setCloseCallback(() => resolve(answer));
			modal.open();
		});
	}

	/** A link to the file in the form that the options ask for. */
	generateMarkdownLink(file: TFile, sourcePath: string, subpath = "", alias?: string): string {
		const isNote = file.extension === "md";
		if (this.app.vault.getConfig("useMarkdownLinks") === true) {
			const target = encodeLink(this.linkPath(file, sourcePath, false) + subpath);
			return `${isNote ? "" : "!"}[${alias ?? (isNote ? file.basename : "")}](${target})`;
		}
		const inSame = file.path === sourcePath && subpath !== "";
		const path = inSame ? "" : this.linkPath(file, sourcePath);
		const shown = alias !== undefined && alias !== "" && alias !== path + subpath ? `|${alias}` : "";
		return `${isNote ? "" : "!"}[[${path}${subpath}${shown}]]`;
	}

	/** The path by which `sourcePath` links to a file, by the option "New link format". */
	linkPath(file: TFile, sourcePath: string, omitExtension = true): string {
		const full = omitExtension && file.extension === "md" ? file.path.slice(0, -3) : file.path;
		switch (this.app.vault.getConfig("newLinkFormat")) {
			case "absolute":
				return full;
			case "relative":
				return relativePath(parentPath(sourcePath), full);
			default:
				return this.app.metadataCache.fileToLinktext(file, sourcePath, omitExtension);
		}
	}

	/** Reads, lets `fn` change, and writes the front matter. Throws where it is not YAML, and what `fn` throws. */
	async processFrontMatter(
		file: TFile,
		fn: (frontmatter: Record<string, unknown>) => void,
		options?: DataWriteOptions,
	): Promise<void> {
		await this.app.vault.process(
			file,
			(text) => {
				const info = getFrontMatterInfo(text);
				const parsed = info.exists ? parseYaml(info.frontmatter) : {};
				const frontmatter = (parsed ?? {}) as Record<string, unknown>;
				if (typeof frontmatter !== "object" || Array.isArray(frontmatter))
					throw new Error("The front matter is not a list of properties.");
				fn(frontmatter);
				const body = text.slice(info.contentStart);
				if (Object.keys(frontmatter).length === 0) return body;
				return `---\n${stringifyYaml(frontmatter)}---\n${body}`;
			},
			options,
		);
	}

	/** A free path for an attachment, in the folder that the option names; the folder is made. */
	async getAvailablePathForAttachment(filename: string, sourcePath = ""): Promise<string> {
		const { vault } = this.app;
		const option = String(vault.getConfig("attachmentFolderPath"));
		const here = parentPath(sourcePath);
		const folder =
			option === "./"
				? here
				: option.startsWith("./")
					? normalizePath(`${here}/${option.slice(2)}`)
					: normalizePath(option);
		if (!vault.getFolderByPath(folder)) await vault.createFolder(folder);
		const { basename, extension } = splitName(filename);
		return vault.getAvailablePath(joinPath(folder, basename), extension);
	}

	/** By the option "Automatically update internal links"; where it is off, the person is asked. */
	private mayUpdateLinks(notes: number): Promise<boolean> {
		if (this.app.vault.getConfig("alwaysUpdateLinks") !== false) return Promise.resolve(true);
		return new Promise((resolve) => {
			let answer = false;
			const modal = new ConfirmationModal(this.app);
			modal.setTitle("Update links");
			modal.setContent(
				`Do you want to update internal links? This affects ${notes} ${notes === 1 ? "note" : "notes"}.`,
			);
			modal.addButton((button) =>
				button
					.setButtonText("Update")
					.setCta()
					.setInitialFocus()
					.onClick(() => void (answer = true)),
			);
			modal.addCancelButton("Do not update");
			modal.setCloseCallback(() => resolve(answer));
			modal.open();
		});
	}
}

function relativePath(from: string, to: string): string {
	const here = from === "/" ? [] : from.split("/");
	const there = to.split("/");
	while (here.length > 0 && there.length > 1 && here[0] === there[0]) {
		here.shift();
		there.shift();
	}
	return [...here.map(() => ".."), ...there].join("/");
}
