/** What the API tells of the app around it: its version and its language. */

/** The version of the API that the typings describe. */
export const apiVersion = "1.13.7";

/** True where this API is at least that version. */
export function requireApiVersion(version: string): boolean {
	const have = apiVersion.split(".").map(Number);
	const want = version.split(".").map(Number);
	for (let at = 0; at < 3; at++) {
		const difference = (have[at] ?? 0) - (want[at] ?? 0);
		if (difference !== 0) return difference > 0;
	}
	return true;
}

/** The interface's language; `localStorage.language` chooses it, as in the app. */
export function getLanguage(): string {
	return localStorage.getItem("language") ?? "en";
}
