// Modules that esbuild.config.mjs makes.

declare module "go:wasm-exec" {
	/** The Go runtime's JavaScript half, of the Go that built the core. */
	export interface GoRuntime {
		argv: string[];
		importObject: WebAssembly.Imports;
		exit: (code: number) => void;
		run(instance: WebAssembly.Instance): Promise<void>;
	}
	/**
	 * Evaluates wasm_exec.js of the installed Go with these in place of the
	 * globals, so that nothing leaks into the window and the core reaches
	 * nothing but `scope`.
	 */
	export function load(
		scope: object,
		setTimeout: (callback: () => void, ms: number) => number,
		clearTimeout: (id: number) => void,
		console: { log(line: unknown): void; warn(...line: unknown[]): void },
	): new () => GoRuntime;
}

declare module "core:packed" {
	/** The core: wasm, packed with zstd, in base64. */
	const base64: string;
	export default base64;
}

declare module "core:decoder" {
	/** What unpacks it: zstd's decoder as wasm, in base64. */
	const base64: string;
	export default base64;
}

declare module "bridge:worker" {
	/** worker.ts with all that it needs, as a classic script. */
	const source: string;
	export default source;
}
