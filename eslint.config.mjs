import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import tseslint from "typescript-eslint";
import settled from "./scripts/lint/settled.mjs";
import svelteConfig from "./svelte.config.mjs";

const shipped = ["main.ts", "i18n/**/*.ts", "bridge/**/*.ts", "plugin/**/*.ts", "plugin/**/*.svelte"];
const tests = ["**/*.test.ts", "**/test/**/*.ts"];

// The first file's options make the one project service, so all are the same.
const typed = {
	projectService: true,
	extraFileExtensions: [".svelte"],
};

/** An import that breaks the layout, with the reason. */
const forbid = (name, message) => ["error", { paths: [{ name, message }] }];

export default defineConfig([
	globalIgnores([
		"main.js",
		"build/",
		"release/",
		"coverage/",
		"wasm/",
		"test/playground/dist/",
		"test/playground/vault/",
		"test/codex/",
		"test/peers/",
		"**/*.gen.ts",
		"**/*.d.ts",
		"**/*.d.mts",
	]),

	// What ships in main.js: the rules of the community review.
	{
		files: shipped,
		ignores: tests,
		extends: [...obsidianmd.configs.recommended, ...svelte.configs.recommended],
		languageOptions: {
			parserOptions: typed,
		},
		plugins: { local: { rules: { settled } } },
		rules: { "local/settled": "error" },
	},
	{
		files: shipped,
		ignores: [...tests, "i18n/**"],
		rules: {
			"no-restricted-syntax": [
				"error",
				{
					selector:
						"MemberExpression[object.name='Intl'], MemberExpression[property.name=/^toLocale(Date|Time)?String$/]",
					message: "Numbers, dates and sizes are written by i18n/, in the app's language.",
				},
				{
					selector: "CallExpression[callee.property.name=/^get(UTC)?(FullYear|Month|Date|Hours|Minutes)$/]",
					message: "No date is written by hand: i18n/ writes it.",
				},
			],
		},
	},
	{
		files: ["**/*.svelte", "**/*.svelte.ts"],
		languageOptions: {
			parserOptions: {
				...typed,
				parser: tseslint.parser,
				svelteConfig,
			},
		},
	},

	// The layout (docs/ARCHITECTURE.md): of the bridge, only host/ touches the app.
	{
		files: ["bridge/*.ts"],
		rules: {
			"no-restricted-imports": forbid(
				"obsidian",
				"Only bridge/host and plugin touch the app: what is here also runs in the worker and in tests.",
			),
		},
	},

	// What does not ship: tests, the playground, benchmarks, scripts.
	{
		files: ["bench/**/*.ts", "scripts/**/*.ts", "*.ts", ...tests],
		ignores: ["main.ts"],
		extends: [js.configs.recommended, ...tseslint.configs.recommendedTypeChecked],
		languageOptions: {
			globals: { ...globals.node, ...globals.browser },
			parserOptions: typed,
		},
		rules: {
			"@typescript-eslint/require-await": "off", // an interface may be asynchronous where its double is not
			"@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
		},
	},
	{
		files: ["**/*.test.ts"],
		rules: {
			"no-restricted-syntax": [
				"error",
				{
					selector:
						"CallExpression[callee.object.name='performance'][callee.property.name='now'], Literal[value='longtask']",
					message:
						"A busy machine is slow: a test counts what is done, and bench/ measures how long it takes.",
				},
			],
		},
	},
	{
		files: ["**/*.mjs"],
		extends: [js.configs.recommended],
		languageOptions: { globals: { ...globals.node, ...globals.browser } },
		rules: { "no-unused-vars": ["error", { argsIgnorePattern: "^_" }] },
	},
]);
