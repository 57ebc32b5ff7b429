import { describe, expect, it } from "vitest";
import { action } from "../dev/fixtures";
import { groups, moved, neighbour } from "./order";

const list = [
	action({ id: "b", group: "Garden" }),
	action({ id: "x", bundled: true }),
	action({ id: "a" }),
	action({ id: "c", group: "Garden" }),
	action({ id: "y", bundled: true }),
];
const ids = (name: string | null) =>
	groups(list)
		.find((g) => g.name === name)
		?.actions.map((a) => a.id);

describe("saved actions", () => {
	it("stand in their groups: none first, then by name, what comes with the plugin last", () => {
		expect(groups(list).map((g) => g.name)).toEqual(["", "Garden", null]);
		expect([ids(""), ids("Garden"), ids(null)]).toEqual([["a"], ["b", "c"], ["x", "y"]]);
		expect(groups([])).toEqual([]);
	});

	it("move among those of their group, and the others stay in order", () => {
		expect(moved(list, "c", "b")).toEqual(["c", "b", "x", "a", "y"]);
		expect(moved(list, "x", "y")).toEqual(["b", "a", "c", "y", "x"]);
		expect(moved(list, "c", "a")).toBeNull();
		expect(moved(list, "c", "c")).toBeNull();
	});

	it("know who stands beside them", () => {
		expect([neighbour(list, "b", 1), neighbour(list, "b", -1), neighbour(list, "y", -1)]).toEqual([
			"c",
			"",
			"x",
		]);
	});
});
