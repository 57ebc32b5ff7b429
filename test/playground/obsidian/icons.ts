/** Icons by id: Lucide's, as in the app, and those that plugins add. */
import nodes from "lucide-static/icon-nodes.json";

type IconNode = [tag: string, attributes: Record<string, string>];

const lucide = nodes as unknown as Record<string, IconNode[]>;
const added = new Map<string, string>();
const svgNamespace = "http://www.w3.org/2000/svg";

/** Adds an icon; the content is drawn in a 100 x 100 box. */
export function addIcon(iconId: string, svgContent: string): void {
	added.set(iconId, svgContent);
}

export function removeIcon(iconId: string): void {
	added.delete(iconId);
}

/** All ids, Lucide's with their prefix. */
export function getIconIds(): string[] {
	return [...Object.keys(lucide).map((id) => `lucide-${id}`), ...added.keys()];
}

/** A new element of the icon, or null where there is none of that id. */
export function getIcon(iconId: string): SVGSVGElement | null {
	const custom = added.get(iconId);
	if (custom !== undefined) return drawCustom(iconId, custom);
	const name = iconId.replace(/^lucide-/, "");
	const parts = Object.hasOwn(lucide, name) ? lucide[name] : undefined;
	return parts ? drawLucide(name, parts) : null;
}

/** Shows the icon in an element, in place of what was there. An unknown id leaves it empty. */
export function setIcon(parent: HTMLElement, iconId: string): void {
	const icon = getIcon(iconId);
	parent.replaceChildren(...(icon ? [icon] : []));
}

function frame(name: string, viewBox: string): SVGSVGElement {
	const svg = document.createElementNS(svgNamespace, "svg");
	const attributes = {
		width: "24",
		height: "24",
		viewBox,
		fill: "none",
		stroke: "currentColor",
		"aria-hidden": "true",
	};
	for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
	svg.classList.add("svg-icon", name);
	return svg;
}

function drawLucide(name: string, parts: IconNode[]): SVGSVGElement {
	const svg = frame(`lucide-${name}`, "0 0 24 24");
	svg.setAttribute("stroke-width", "2");
	svg.setAttribute("stroke-linecap", "round");
	svg.setAttribute("stroke-linejoin", "round");
	for (const [tag, attributes] of parts) {
		const part = document.createElementNS(svgNamespace, tag);
		for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
		svg.append(part);
	}
	return svg;
}

function drawCustom(id: string, content: string): SVGSVGElement {
	const svg = frame(id, "0 0 100 100");
	const parsed = new DOMParser().parseFromString(
		`<svg xmlns="${svgNamespace}">${content}</svg>`,
		"image/svg+xml",
	);
	svg.append(...Array.from(parsed.documentElement.childNodes, (node) => document.importNode(node, true)));
	return svg;
}
