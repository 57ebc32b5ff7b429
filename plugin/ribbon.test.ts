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
