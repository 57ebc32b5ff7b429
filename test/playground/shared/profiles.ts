/**
 * What differs between the systems that Obsidian runs on. Each field that is a guess is listed in
 * `behaviours.ts` under `profile.*`.
 */
export type ProfileName = "linux" | "mac" | "win" | "android" | "ios";

export interface Profile {
	name: ProfileName;
	/** Characters that `create`, `createFolder` and `rename` refuse, as the error message lists them. */
	illegal: string[];
	/** The disk finds `a.md` when asked for `A.md`. */
	foldsCase: boolean;
	/** Longest file name: `bytes` of UTF-8 or `units` of UTF-16. */
	nameLimit: { max: number; unit: "bytes" | "units" };
	/** Reserved device names and trailing dots or spaces are refused. */
	windowsNames: boolean;
	mobile: boolean;
	/** Where the vault appears to be, for error messages and `getBasePath`. */
	basePath: string;
	separator: "/" | "\\";
	/** The origin of requests that the real app makes; the test harness rewrites to it. */
	origin: string;
	/** Window size, in CSS pixels, that looks like the device. */
	screen: { width: number; height: number };
}

const windowsIllegal = ["*", '"', "\\", "/", "<", ">", ":", "|", "?"];

export const profiles: Record<ProfileName, Profile> = {
	linux: {
		name: "linux",
		illegal: ["\\", "/", ":"],
		foldsCase: false,
		nameLimit: { max: 255, unit: "bytes" },
		windowsNames: false,
		mobile: false,
		basePath: "/home/user/vault",
		separator: "/",
		origin: "app://obsidian.md",
		screen: { width: 1280, height: 800 },
	},
	mac: {
		name: "mac",
		illegal: ["\\", "/", ":"],
		foldsCase: true,
		nameLimit: { max: 255, unit: "units" },
		windowsNames: false,
		mobile: false,
		basePath: "/Users/user/vault",
		separator: "/",
		origin: "app://obsidian.md",
		screen: { width: 1280, height: 800 },
	},
	win: {
		name: "win",
		illegal: windowsIllegal,
		foldsCase: true,
		nameLimit: { max: 255, unit: "units" },
		windowsNames: true,
		mobile: false,
		basePath: "C:\\Users\\user\\vault",
		separator: "\\",
		origin: "app://obsidian.md",
		screen: { width: 1280, height: 800 },
	},
	android: {
		name: "android",
		illegal: ["|", "\\", "?", "*", '"', "<", ">", ":", "+", "[", "]", "/", "'"],
		foldsCase: true,
		nameLimit: { max: 255, unit: "bytes" },
		windowsNames: false,
		mobile: true,
		basePath: "/storage/emulated/0/Documents/vault",
		separator: "/",
		origin: "http://localhost",
		screen: { width: 412, height: 892 },
	},
	ios: {
		name: "ios",
		illegal: ["\\", "/", ":"],
		foldsCase: false,
		nameLimit: { max: 255, unit: "units" },
		windowsNames: false,
		mobile: true,
		basePath: "/private/var/mobile/Documents/vault",
		separator: "/",
		origin: "capacitor://localhost",
		screen: { width: 390, height: 844 },
	},
};

/** The profile of that name; anything else is an error that names the choices. */
export function profileNamed(name: string | null | undefined): Profile {
	const wanted = name ?? "linux";
	if (Object.hasOwn(profiles, wanted)) return profiles[wanted as ProfileName];
	throw new Error(`There is no profile "${wanted}". Choose one of ${Object.keys(profiles).join(", ")}.`);
}

/** The key under which a disk of this profile finds a name: canonical Unicode, without case where it folds. */
export function foldName(profile: Profile, name: string): string {
	const canonical = name.normalize("NFC");
	return profile.foldsCase ? canonical.toLowerCase() : canonical;
}
