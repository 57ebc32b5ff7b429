// What must hold before a release is made. Pure, so that tests can ask it.
import { external } from "./build/bundle.mjs";

/**
 * What is wrong with the versions: the community's installer reads each of
 * them. Tags are those of the commit; a commit without one is not released yet.
 */
export function versionProblems({ manifest, packageJson, versions, tags }) {
	const { version, minAppVersion } = manifest;
	const wrong = [];
	if (!/^\d+\.\d+\.\d+$/.test(version))
		wrong.push(`manifest.json has the version ${version}, which is not three numbers`);
	if (packageJson.version !== version) wrong.push(`package.json has the version ${packageJson.version}`);
	if (versions[version] !== minAppVersion)
		wrong.push(`versions.json does not say ${minAppVersion} for ${version}`);
	if (tags.length > 0 && !tags.includes(version))
		wrong.push(`the commit is tagged ${tags.join(", ")}, not ${version}`);
	return wrong;
}

/** What the rules of the community's review find wrong with a manifest. */
export function manifestProblems(manifest) {
	const { id, name, description, author, isDesktopOnly, ...rest } = manifest;
	const known = new Set(["version", "minAppVersion", "authorUrl", "fundingUrl", "helpUrl"]);
	const wrong = [];
	if (!/^[a-z]+(-[a-z]+)*$/.test(id) || id.includes("obsidian") || id.endsWith("plugin"))
		wrong.push(`the id ${id}`);
	if (!name || !author) wrong.push("a name or an author is missing");
	if (!description || description.length > 250 || !description.endsWith(".")) wrong.push("the description");
	if (typeof isDesktopOnly !== "boolean") wrong.push("isDesktopOnly is missing");
	for (const key of Object.keys(rest)) if (!known.has(key)) wrong.push(`the key ${key}`);
	return wrong;
}

/** Modules that main.js asks for and the app does not give: phones have no Node. */
export function foreignModules(mainJs) {
	const asked = [...mainJs.matchAll(/\brequire\(\s*["']([^"']+)["']\s*\)/g)].map(([, name]) => name);
	return [...new Set(asked)].filter((name) => name === "electron" || !external.includes(name));
}
