import { expect, it } from "vitest";
import { ActionCommands } from "./commands";

function commands() {
	const palette = new Map<string, string>();
	const follower = new ActionCommands({
		add: ({ id, name }) => palette.set(id, name),
		remove: (id) => palette.delete(id),
	});
	return { palette, follower };
}

it("the palette follows the saved actions: added, renamed, removed", () => {
	const { palette, follower } = commands();
	follower.follow([
		{ id: "a", name: "A" },
		{ id: "b", name: "B" },
	]);
	expect([...palette]).toEqual([
		["a", "A"],
		["b", "B"],
	]);
	expect(follower.follow([{ id: "b", name: "Bee" }])).toBe(true);
	expect([...palette]).toEqual([["b", "Bee"]]);
});

it("nothing is registered anew when nothing has changed", () => {
	const { follower } = commands();
	follower.follow([{ id: "a", name: "A" }]);
	expect(follower.follow([{ id: "a", name: "A" }])).toBe(false);
});
