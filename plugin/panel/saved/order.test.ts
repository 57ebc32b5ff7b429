import { describe, expect, it } from "vitest";
import { action } from "../../../test/dev/fixtures";
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
		expect(moved(list, "c", "b")).toEqual({ group: "Garden", ids: ["c", "b", "x", "a", "y"] });
		expect(moved(list, "b", "c")).toEqual({ group: "Garden", ids: ["x", "a", "c", "b", "y"] });
		expect(moved(list, "x", "y")?.ids).toEqual(["b", "a", "c", "y", "x"]);
		expect(moved(list, "c", "c")).toBeNull();
		expect(moved(list, "c", "gone")).toBeNull();
	});

	it("move into another group, in the place of the one that they are put on", () => {
		expect(moved(list, "c", "a")).toEqual({ group: "", ids: ["b", "x", "c", "a", "y"] });
		expect(moved(list, "a", "c")).toEqual({ group: "Garden", ids: ["b", "x", "a", "c", "y"] });
	});

	it("by a step stand at the near end of the next group", () => {
		expect(moved(list, "a", neighbour(list, "a", 1), 1)).toEqual({
			group: "Garden",
			ids: ["a", "b", "x", "c", "y"],
		});
		expect(moved(list, "b", neighbour(list, "b", -1), -1)).toEqual({
			group: "",
			ids: ["x", "a", "b", "c", "y"],
		});
	});

	it("stay among themselves where they come with the plugin, and nothing else gets there", () => {
		expect([moved(list, "x", "a"), moved(list, "a", "x")]).toEqual([null, null]);
	});

	it("know who stands beside them", () => {
		const beside = (id: string) => [neighbour(list, id, -1), neighbour(list, id, 1)];
		expect(["a", "b", "c", "x", "y"].map(beside)).toEqual([
			["", "b"],
			["a", "c"],
			["b", ""],
			["", "y"],
			["x", ""],
		]);
	});
});
