declare module "icons" {
	/** SVG by icon name. */
	const icons: Record<string, string>;
	export default icons;
}
