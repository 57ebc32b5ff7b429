/** Every setting that the pages declare has a test that changes it and sees what the core then does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leave, sitDown } from "./person";

const base = "settings.test.ts";
const limits = "settings-limits.test.ts";
const web = "settings-web.test.ts";
const records = "settings-records.test.ts";

/** By a setting's name: the file, the test's title or its beginning, and, where it is not the name, what the test handles it by. */
const flips: Record<string, [file: string, title: string, by?: string]> = {
	Provider: [web, "a provider, an address and a model's name are where the words go"],
	Model: [web, "a provider, an address and a model's name are where the words go"],
	"Base URL": [web, "a provider, an address and a model's name are where the words go"],
	Key: [base, "the key goes to the secret storage and to the provider", "Link…"],
	"Additional headers": [web, "headers go to the address that they were given for", "Additional headers"],
	Thinking: [web, "how hard a model thinks is asked for by its name"],
	"Context window": [web, "how many tokens a model takes decides what is sent"],
	"Stream answers": [base, "longest answer, temperature and streaming are in the request"],
	"Longest answer": [base, "longest answer, temperature and streaming are in the request"],
	Temperature: [base, "longest answer, temperature and streaming are in the request"],
	"Image size": [web, "an image is made as small as the setting says"],
	"Test the connection": [base, "Test the connection says what the endpoint can do", 'name: "Test"'],
	"Usage and prices": [limits, "that would cost more than it may is stopped, by the price table"],

	"Ask before a run": [base, "Only when required: what writes goes on by itself"],
	"Allow deletes": [base, "deletes: refused until they are switched on"],
	"Allow renames": [base, "renames: refused when they are switched off"],
	"Allow commands": [base, "commands: refused until they are switched on"],
	"Folders the agent may read and write": [
		web,
		"folders that are not among the allowed ones",
		"Add a folder",
	],

	"Agent tools": [base, "a tool that is switched off is refused"],
	"Tool keys": [web, "web requests: off they are refused"],
	"Allow web requests": [web, "web requests: off they are refused"],
	"Web hosts": [web, "web requests: off they are refused"],
	"Script time limit": [limits, "is ended when it takes longer, or more memory"],
	"Script memory limit": [limits, "is ended when it takes longer, or more memory"],

	"Excluded paths": [web, "excluded paths are not found by a search"],
	"Text to hide": [limits, "does not read text that is to be hidden"],

	"Attempts per call": [limits, "is tried as often as the setting says"],
	"Longest pause between attempts": [limits, "is not waited for longer than the setting says"],
	"Time limit per call": [base, "time limit per call: a write that hangs is stopped"],
	"Parallel calls": [base, "parallel calls: one means that each begins"],
	"Steps per plan": [base, "steps per plan: a longer plan is refused"],
	"Calls per run": [base, "calls per run: a loop that makes more is refused"],
	"Megabytes per plan": [limits, "that would make more megabytes than it may"],
	"Model requests per message": [limits, "that has had its turns is not asked again"],
	"Tool calls per message": [limits, "that has made its tool calls gets no more of them"],
	"Tokens per message": [limits, "that would use more than its tokens is stopped"],
	"Cost per message": [limits, "that would cost more than it may is stopped"],
	"Calls per minute": [limits, "that calls a tool more often than a minute allows"],

	"Runs to keep": [base, "runs to keep: older ones are removed"],
	"Days to keep runs": [limits, "are removed when they are older than the days"],
	"Space for kept runs": [limits, "are removed when they are older than the days"],
	"Space used": [limits, "are removed when they are older than the days", "Calculate"],

	"Where they are": [records, "the settings say where the undo records are", '"Show"'],
	"Copy the undo records into the vault": [records, "a copy of the undo records", '"Copy"'],
	"Delete the undo records of this vault": [
		records,
		"the undo records are deleted after a question",
		'"Delete"',
	],

	"Enter starts a new line": [web, "Enter starts a new line, and Shift+Enter runs"],
};

/** A definition, as far as its name goes. */
interface Definition {
	type?: string;
	name?: string;
	heading?: string;
	items?: Definition[];
}

describe("the settings", () => {
	let declared: string[];

	beforeAll(async () => {
		const person = await sitDown();
		const definitions = await person.page.evaluate(() => {
			const { pluginTabs } = window.app.setting as unknown as {
				pluginTabs: { id: string; getSettingDefinitions(): Definition[] }[];
			};
			const plain = ({ type, name, heading, items }: Definition): Definition => ({
				...(type ? { type } : {}),
				...(name ? { name } : {}),
				...(heading ? { heading } : {}),
				...(items ? { items: items.map(plain) } : {}),
			});
			return (pluginTabs.find(({ id }) => id === "embedded-agent")?.getSettingDefinitions() ?? []).map(plain);
		});
		await person.standUp();
		// A list is one setting, whatever is in it; a group is its items.
		declared = definitions.flatMap(({ type, name, heading, items }) =>
			type === "group" ? (items ?? []).map((item) => item.name ?? "") : [name ?? heading ?? ""],
		);
	});
	afterAll(leave);

	test("each have a test, and no test is of a setting that is not there", () => {
		expect(declared.length).toBeGreaterThan(30);
		expect(Object.keys(flips).sort()).toEqual([...declared].sort());
	});

	test.each(Object.entries(flips))("%s: its test is there, and handles it", (name, [file, title, by]) => {
		const tests = readFileSync(join(import.meta.dirname, file), "utf8").split(/^\t?test\(/m);
		const found = tests.filter((text) => text.trimStart().slice(1).startsWith(title));
		expect(found, `${file}: ${title}`).toHaveLength(1);
		expect(found[0]?.slice(title.length + 2)).toContain(by ?? name);
	});
});
