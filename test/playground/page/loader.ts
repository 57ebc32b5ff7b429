/** Evaluates a plugin's release `main.js` as the app does: CommonJS, with an allow-list for `require`. */
import * as autocomplete from "@codemirror/autocomplete";
import * as commands from "@codemirror/commands";
import * as language from "@codemirror/language";
import * as search from "@codemirror/search";
import * as state from "@codemirror/state";
import * as view from "@codemirror/view";
import * as common from "@lezer/common";
import * as highlight from "@lezer/highlight";
import * as lr from "@lezer/lr";
import { obsidianModule } from "../obsidian/index";
import type { PluginFactory } from "../obsidian/plugins";

/** What the app gives to plugins, and nothing else: a Node module, or one that was not bundled, fails loudly. */
const modules: Record<string, object> = {
	obsidian: obsidianModule,
	"@codemirror/autocomplete": autocomplete,
	"@codemirror/commands": commands,
	"@codemirror/language": language,
	"@codemirror/search": search,
	"@codemirror/state": state,
	"@codemirror/view": view,
	"@lezer/common": common,
	"@lezer/highlight": highlight,
	"@lezer/lr": lr,
};

/** The `require` of the plugin with that id. */
export function pluginRequire(id: string): (name: string) => object {
	return (name) => {
		const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
		if (!module) throw new Error(`Plugin "${id}" requires "${name}", which the app does not provide.`);
		return module;
	};
}

type Evaluated = (require: (name: string) => object, module: { exports: unknown }, exports: unknown) => void;

/** How long evaluating the last plugin took, in ms; read by measurements. */
export let lastEvaluationMs = 0;

export const evaluatePlugin: PluginFactory = (main, id) => {
	const start = performance.now();
	// Indirect eval runs in the global scope, like the app's; the source name shows up in stack traces.
	const wrapped = (0, eval)(
		`(function(require,module,exports){${main}\n})\n//# sourceURL=plugin:${id}`,
	) as Evaluated;
	const module: { exports: { default?: unknown } } = { exports: {} };
	wrapped(pluginRequire(id), module, module.exports);
	lastEvaluationMs = performance.now() - start;
	const PluginClass = module.exports.default ?? module.exports;
	if (typeof PluginClass !== "function") throw new Error(`Plugin "${id}" does not export a class.`);
	return PluginClass as ReturnType<PluginFactory>;
};
