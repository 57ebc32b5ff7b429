/** What is wrong with the versions of a release. */
export function versionProblems(of: {
	manifest: { version: string; minAppVersion: string };
	packageJson: { version: string };
	versions: Record<string, string>;
	tags: string[];
}): string[];
/** What the rules of the community's review find wrong with a manifest. */
export function manifestProblems(manifest: Record<string, unknown>): string[];
/** Modules that main.js asks for and the app does not give. */
export function foreignModules(mainJs: string): string[];
