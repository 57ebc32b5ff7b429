import type { Profile } from "../shared/profiles";

/** The flags of `Platform`. Filled in once, before any plugin runs. */
export const Platform = {
	isDesktop: true,
	isMobile: false,
	isDesktopApp: true,
	isMobileApp: false,
	isIosApp: false,
	isAndroidApp: false,
	isPhone: false,
	isTablet: false,
	isMacOS: false,
	isWin: false,
	isLinux: true,
	isSafari: false,
	resourcePathPrefix: "",
	canPopoutWindow: false,
	mobileSoftKeyboardVisible: false,
	mobileDeviceHeight: 0,
	mobileKeyboardHeight: 0,
};

/** Sets the flags as the app on that system has them. */
export function setPlatform(profile: Profile): void {
	const phone = profile.mobile;
	Object.assign(Platform, {
		isDesktop: !phone,
		isMobile: phone,
		isDesktopApp: !phone,
		isMobileApp: phone,
		isIosApp: profile.name === "ios",
		isAndroidApp: profile.name === "android",
		isPhone: phone,
		isTablet: false,
		// As in the app, iOS counts as macOS for key names.
		isMacOS: profile.name === "mac" || profile.name === "ios",
		isWin: profile.name === "win",
		isLinux: profile.name === "linux",
		isSafari: profile.name === "ios",
		canPopoutWindow: !phone,
		resourcePathPrefix: `${location.origin}/resource/`,
	});
}
