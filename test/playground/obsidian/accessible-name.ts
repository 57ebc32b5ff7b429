let labels = 0;

/**
 * Gives an element an accessible name that no tooltip shows: the app shows one for every `aria-label`, also that of
 * a whole region. The name is text in a hidden place of the page.
 */
export function nameElement(el: HTMLElement, name: string): void {
	const known = document.getElementById(el.getAttribute("aria-labelledby") ?? "");
	if (known) {
		known.setText(name);
		return;
	}
	let holder = document.getElementById("accessible-names");
	holder ??= document.documentElement.createDiv({ attr: { id: "accessible-names", hidden: "" } });
	const label = holder.createSpan({ text: name, attr: { id: `accessible-name-${++labels}` } });
	el.setAttribute("aria-labelledby", label.id);
}
