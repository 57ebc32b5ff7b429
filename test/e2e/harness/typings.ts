/** What the public typings of Obsidian declare, read with the TypeScript compiler. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repository } from "./playground";

export interface DeclaredClass {
	name: string;
	methods: string[];
	statics: string[];
	properties: string[];
}

export interface Declared {
	classes: DeclaredClass[];
	/** Exported functions and constants. */
	values: string[];
}

/** Reads `obsidian.d.ts`; optional members are left out, since a plugin must expect them to be missing. */
export function declaredApi(): Declared {
	const path = join(repository, "node_modules/obsidian/obsidian.d.ts");
	const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
	const declared: Declared = { classes: [], values: [] };
	for (const statement of source.statements) {
		if (!ts.canHaveModifiers(statement)) continue;
		const exported = ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
		if (!exported) continue;
		if (ts.isClassDeclaration(statement)) declared.classes.push(readClass(statement));
		else if (ts.isFunctionDeclaration(statement) && statement.name) declared.values.push(statement.name.text);
		else if (ts.isVariableStatement(statement))
			for (const { name } of statement.declarationList.declarations)
				if (ts.isIdentifier(name)) declared.values.push(name.text);
	}
	declared.values = [...new Set(declared.values)];
	return declared;
}

function readClass(node: ts.ClassDeclaration): DeclaredClass {
	const found: DeclaredClass = { name: node.name?.text ?? "", methods: [], statics: [], properties: [] };
	for (const member of node.members) {
		if (!member.name || !ts.isIdentifier(member.name)) continue;
		const kinds =
			(ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined)?.map(({ kind }) => kind) ?? [];
		const name = member.name.text;
		if (kinds.includes(ts.SyntaxKind.AbstractKeyword)) continue;
		if ((ts.isMethodDeclaration(member) || ts.isPropertyDeclaration(member)) && member.questionToken)
			continue;
		if (kinds.includes(ts.SyntaxKind.StaticKeyword)) found.statics.push(name);
		else if (ts.isPropertyDeclaration(member)) found.properties.push(name);
		else if (ts.isMethodDeclaration(member) || ts.isGetAccessor(member)) found.methods.push(name);
	}
	found.methods = [...new Set(found.methods)];
	return found;
}
