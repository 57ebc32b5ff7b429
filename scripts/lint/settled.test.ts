import { Linter } from "eslint";
import tseslint from "typescript-eslint";
import { expect, test } from "vitest";
import { fileURLToPath } from "node:url";
import settled from "./settled.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const setting = `
	declare class Setting { setDesc(text: string): this; then(cb: (setting: this) => void): this }
	declare const setting: Setting;
	declare function ask(): Promise<number>;
`;

/** The rule's complaints about a program. */
function complaints(code: string): string[] {
	const linter = new Linter({ cwd: repository });
	const messages = linter.verify(
		setting + code,
		[
			{
				files: ["**/*.ts"],
				plugins: { local: { rules: { settled } } },
				rules: { "local/settled": "error" },
				languageOptions: {
					parser: tseslint.parser,
					parserOptions: { projectService: { allowDefaultProject: ["*.ts"] }, tsconfigRootDir: repository },
				},
			},
		],
		`${repository}made-up.ts`,
	);
	return messages.map(({ message }) => message);
}

test.each([
	`void ask().catch(() => setting.setDesc("failed"));`,
	`void ask().then((n) => setting.setDesc(String(n)));`,
	`void ask().then((n) => (n > 1 ? setting : undefined));`,
	`const count = () => ask().catch(() => setting.setDesc("failed")); void count();`,
	`const told = new Promise<Setting>((resolve) => resolve(setting)); const again = () => told; void again();`,
])("a promise that a setting settles is refused: %s", (code) => {
	expect(complaints(code)[0]).toContain("settled with a Setting");
});

test.each([
	`void ask().catch(() => { setting.setDesc("failed"); });`,
	`void ask().then((n) => ask().then((m) => n + m));`,
	`setting.then((s) => s.setDesc("chained"));`,
	`declare function like(): Promise<PromiseLike<number>>; void like();`,
	`declare function anything(): Promise<any>; void anything();`,
])("what is no trap is not: %s", (code) => {
	expect(complaints(code)).toEqual([]);
});
