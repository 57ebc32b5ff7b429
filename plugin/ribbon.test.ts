import { expect, it } from "vitest";
import type { PaletteEntry } from "./data";
import { ActionRibbon } from "./ribbon";

it("the ribbon shows the actions that are to be there, and follows their names and icons", () => {
	const shown: string[] = [];
	const ribbon = new ActionRibbon(({ name, icon }) => {
		const looks = `${name} ${icon}`;
		shown.push(looks);
		return () => void shown.splice(shown.indexOf(looks), 1);
	});
	const one: PaletteEntry = { id: "1", name: "One", icon: "play", ribbon: true };
	expect(ribbon.follow([one, { id: "2", name: "Two" }])).toBe(true);
	expect(shown).toEqual(["One play"]);
	expect(ribbon.follow([one])).toBe(false);
	expect(ribbon.follow([{ ...one, icon: "list" }])).toBe(true);
	expect(shown).toEqual(["One list"]);
	expect(ribbon.follow([{ ...one, ribbon: false }])).toBe(true);
	expect(shown).toEqual([]);
});

it("the app knows an icon by its name: one that goes takes its namesake along, which comes back", () => {
	let shown: string[] = [];
	const ribbon = new ActionRibbon(({ id, name }) => {
		shown.push(`${name} ${id}`);
		return () => void (shown = shown.filter((icon) => !icon.startsWith(`${name} `)));
	});
	const [a, b] = ["1", "2"].map((id): PaletteEntry => ({ id, name: "One", icon: "play", ribbon: true }));
	const other: PaletteEntry = { id: "3", name: "Other", ribbon: true };
	ribbon.follow([a!, b!, other]);
	expect(ribbon.follow([b!, other])).toBe(true);
	expect(shown.sort()).toEqual(["One 2", "Other 3"]);
});
