import type { Profile } from "../shared/profiles";
import { otherwise } from "./otherwise";

/**
 * Refuses a path whose names hold a character that the system forbids, with the app's own words.
 * The slash is in the message but separates names in a path, so it cannot be the culprit.
 */
export function checkPath(profile: Profile, path: string): void {
	if (profile.name === "ios" && otherwise("profile.iosNames")) return;
	const forbidden = profile.illegal.filter((character) => character !== "/");
	for (const character of forbidden) {
		if (path.includes(character))
			throw new Error(
				`File name cannot contain any of the following characters: ${profile.illegal.join(" ")}`,
			);
	}
}
