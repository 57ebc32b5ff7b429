export function demoSettings(modelUrl: string): Record<string, unknown>;
export function copyVault(from: string, to: string): Promise<void>;
export function installPlugin(
	vaultDir: string,
	pluginDir: string,
	data?: Record<string, unknown>,
): Promise<string>;
export function isFolder(path: string): Promise<boolean>;
