import { apiVersion, getLanguage, moment, Platform as Device, type App } from "obsidian";
import type { Platform } from "../../bridge/protocol.gen";
import { localeOf, type Moment } from "./locale";

/** Tells the core where it runs. */
export function platform(app: App): Platform {
	// The person's link settings are not in the app's public interface.
	const { getConfig } = app.vault as { getConfig?: (key: string) => unknown };
	const option = (key: string) =>
		typeof getConfig === "function" ? getConfig.call(app.vault, key) : undefined;
	const format = option("newLinkFormat");
	return {
		name: system(),
		appVersion: apiVersion,
		language: getLanguage(),
		configDir: app.vault.configDir,
		linkFormat: typeof format === "string" ? format : "shortest",
		markdownLinks: option("useMarkdownLinks") === true,
		// English is the core's own.
		locale: moment.locale() === "en" ? undefined : localeOf(moment as unknown as Moment),
		utcOffsetMin: -new Date().getTimezoneOffset(),
	};
}

function system(): string {
	if (Device.isIosApp) return "ios";
	if (Device.isAndroidApp) return "android";
	if (Device.isMacOS) return "mac";
	return Device.isWin ? "win" : "linux";
}
