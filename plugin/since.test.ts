/** Nothing is used of the app that its oldest supported version does not have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const json = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8")) as Record<string, string>;

/** Newer interfaces, only used where they are there, with the test for that. */
const guarded: Record<string, string> = {};

/** The version of the app's interface since which a symbol is there, as its typings say; undefined where they do not. */
function sinceOf(checker: ts.TypeChecker, node: ts.Identifier): { name: string; since: string } | undefined {
	let symbol = checker.getSymbolAtLocation(node);
	if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
	for (const declaration of symbol?.declarations ?? []) {
		if (!/\/obsidian\/obsidian\.d\.ts$/.test(declaration.getSourceFile().fileName)) continue;
		const tag = ts.getJSDocTags(declaration).find(({ tagName }) => tagName.text === "since");
		const since = /\d+\.\d+\.\d+/.exec(ts.getTextOfJSDocComment(tag?.comment) ?? "")?.[0];
		if (!since) continue;
		const of = declaration.parent;
		const owner = ts.isClassDeclaration(of) || ts.isInterfaceDeclaration(of) ? `${of.name?.text ?? ""}.` : "";
		return { name: `${owner}${node.text}`, since };
	}
	return undefined;
}

/** Every item of the app's interface that the shipped code names, with its version. */
function used(): Map<string, string> {
	const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (name) => ts.sys.readFile(name)) as {
		config: unknown;
	};
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const program = ts.createProgram([join(root, "main.ts")], options);
	const checker = program.getTypeChecker();
	const found = new Map<string, string>();
	const visit = (node: ts.Node): void => {
		const item = ts.isIdentifier(node) ? sinceOf(checker, node) : undefined;
		if (item) found.set(item.name, item.since);
		ts.forEachChild(node, visit);
	};
	for (const file of program.getSourceFiles())
		if (file.fileName.startsWith(root) && !/node_modules/.test(file.fileName)) visit(file);
	return found;
}

function newer(a: string, b: string): boolean {
	const [x, y] = [a, b].map((version) => version.split(".").map(Number));
	const at = x!.findIndex((n, i) => n !== y![i]);
	return at >= 0 && x![at]! > y![at]!;
}

it("each item of the app that is used is in the oldest supported version", { timeout: 120_000 }, () => {
	const { minAppVersion = "" } = json("manifest.json");
	const items = used();
	expect(items.size, "items with a version in the typings").toBeGreaterThan(50);
	expect(
		[...items.values()].some((since) => !newer("1.13.0", since)),
		"the settings' items are of 1.13.0",
	).toBe(true);
	const tooNew = [...items].filter(([name, since]) => newer(since, minAppVersion) && !(name in guarded));
	expect(tooNew, `newer than ${minAppVersion}: guard each, and list it with how`).toEqual([]);
	expect(
		Object.keys(guarded).filter((name) => !items.has(name)),
		"guarded, and not used any more",
	).toEqual([]);
});

it("the oldest supported version is no newer than the settings need", () => {
	expect(json("manifest.json")["minAppVersion"]).toBe("1.13.0");
});
