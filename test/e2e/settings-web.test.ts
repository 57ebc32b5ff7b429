/** What leaves the machine, and which notes are read: each setting from its control to what the core then does. */
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import type { Script } from "../playground/model/server.mjs";
import { eventually, leave, pluginFolder, sentence, sitDown, type Person } from "./person";
import { textsOf } from "./records";
import { choose, closeSettings, data, dataText, openPage, openSettings } from "./settings-page";

afterAll(leave);

/** A plan of one request. */
const request = (word: string, tool: string, args: Record<string, unknown>): Script => ({
	match: [`^${word}$`],
	reply: "I will ask.",
	plan: { version: 1, goal: word, steps: [{ id: "ask", tool, args }] },
});

const scripts = [
	request("plain", "http.request", { url: "https://api.example.org/plain" }),
	request("signed", "http.request", {
		url: "https://api.example.org/signed",
		headers: { Authorization: "Bearer {{secret:weather}}" },
	}),
	request("other", "http.request", { url: "https://other.example.org/" }),
	request("old", "http.request", { url: "https://old.example.org/" }),
];

async function seat(settings: Record<string, unknown> = {}): Promise<Person> {
	const person = await sitDown({ settings, model: { scripts } });
	onTestFinished(() => person.standUp());
	return person;
}

/** Answers for the hosts below example.org, and remembers what they were asked. */
async function web(person: Person): Promise<{ url: string; authorization: string | undefined }[]> {
	const asked: { url: string; authorization: string | undefined }[] = [];
	await person.page.route("https://*.example.org/**", async (route) => {
		const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
		if (route.request().method() !== "OPTIONS")
			asked.push({
				url: route.request().url(),
				authorization: (await route.request().allHeaders())["authorization"],
			});
		await route.fulfill({ status: 200, headers, contentType: "text/plain", body: "It is sunny." });
	});
	return asked;
}

/** Says it, and reads why it was refused. */
async function refused(person: Person, word: string): Promise<string> {
	await person.say(word);
	const words = await person.readProblem();
	await person.button("Cancel").click();
	await person.plan.waitFor({ state: "detached" });
	return words;
}

test("web requests: off they are refused; on, only hosts that are named are asked, by their methods, with keys that are named", async () => {
	const person = await seat();
	const asked = await web(person);
	expect(await refused(person, "plain")).toContain("Web requests are switched off");
	await choose(person, { "Allow web requests": true });
	expect(await refused(person, "plain")).toContain("is not one of the allowed hosts");

	let dialog = await openPage(person, "Web hosts");
	await dialog.getByRole("button", { name: "Add a host" }).click();
	await dialog.getByPlaceholder("api.example.com").fill("api.example.org");
	await eventually(() => data(person)["httpHosts"]).toEqual([{ host: "api.example.org", methods: ["GET"] }]);
	await closeSettings(person);
	expect(asked).toEqual([]);
	await person.say("plain");
	await person.answer
		.getByText(/It is sunny\./)
		.first()
		.waitFor();
	expect(asked).toEqual([{ url: "https://api.example.org/plain", authorization: undefined }]);
	await person.newConversation(); // the next message of this one would know the answer, and ask first
	expect(await refused(person, "other")).toContain("“other.example.org” is not one of the allowed hosts");

	dialog = await openPage(person, "Web hosts");
	const methods = dialog.getByPlaceholder("GET, POST");
	await methods.fill("head");
	await eventually(() => data(person)["httpHosts"]).toEqual([{ host: "api.example.org", methods: ["HEAD"] }]);
	await closeSettings(person);
	expect(await refused(person, "plain")).toContain("GET is not allowed for “api.example.org”");
	dialog = await openPage(person, "Web hosts");
	await methods.fill("GET, HEAD");
	await eventually(() => dataText(person)).toContain('"GET"');
	await closeSettings(person);

	expect(await refused(person, "signed")).toContain("There is no key named “weather”.");
	dialog = await openPage(person, "Tool keys");
	await dialog.getByRole("button", { name: "Add a key" }).click();
	await dialog.getByPlaceholder("Name that tools use").fill("weather");
	await dialog.getByRole("button", { name: "Link…" }).click();
	const secrets = person.page.getByRole("dialog", { name: "Secrets" });
	await secrets.getByPlaceholder("my-api-key").fill("weather-key");
	await secrets.locator('input[type="password"]').fill("sunny-canary-77");
	await secrets.getByRole("button", { name: "Save" }).click();
	await dialog.getByText("weather: found on this device. Not sent anywhere. Enter its hosts.").waitFor();
	await closeSettings(person);
	expect(await refused(person, "signed")).toContain("The key “weather” has no host yet");
	const hostsOf = () => dialog.getByRole("textbox", { name: "Hosts for weather" });
	dialog = await openPage(person, "Tool keys");
	await hostsOf().fill("other.example.org");
	await hostsOf().blur();
	await dialog.getByText("Sent to other.example.org.", { exact: false }).waitFor();
	await closeSettings(person);
	expect(await refused(person, "signed")).toContain(
		"The key “weather” may be sent to other.example.org only",
	);
	dialog = await openPage(person, "Tool keys");
	await hostsOf().fill("api.example.org");
	await hostsOf().blur();
	await dialog.getByText("Sent to api.example.org.", { exact: false }).waitFor();
	await closeSettings(person);
	await person.say("signed");
	await person.answer
		.getByText(/It is sunny\./)
		.first()
		.waitFor();
	expect(asked.at(-1)).toEqual({
		url: "https://api.example.org/signed",
		authorization: "Bearer sunny-canary-77",
	});
	const texts = await textsOf(person.records, "traces", /\.jsonl?$/);
	for (const name of person.list(`${pluginFolder}/conversations`))
		texts.set(name, person.read(`${pluginFolder}/conversations/${name}`));
	expect([...texts.values()].join("")).toContain("It is sunny.");
	for (const [file, text] of texts) expect(text, file).not.toContain("sunny-canary");
	expect(asked.filter(({ url }) => !url.startsWith("https://api.example.org/"))).toEqual([]);
});

test("a host that allows no other apps is asked by the app's own client only where that is switched on", async () => {
	const person = await seat({ allowHttp: true, httpHosts: [{ host: "old.example.org", methods: ["GET"] }] });
	// To the page, an answer that it may not read is as none.
	await person.page.route("https://old.example.org/**", (route) => route.abort("failed"));
	// The app's own client asks from beside the page.
	const real = globalThis.fetch;
	const asked: string[] = [];
	vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
		if (!url.startsWith("https://old.example.org/")) return real(url, init);
		asked.push(url);
		return new Response("It is cloudy.", { headers: { "content-type": "text/plain" } });
	});
	onTestFinished(() => void vi.unstubAllGlobals());
	await refused(person, "old");
	expect(asked).toEqual([]);
	const dialog = await openPage(person, "Web hosts");
	await dialog
		.getByRole("switch", { name: "The app's own client for old.example.org" })
		.setChecked(true, { force: true });
	await eventually(() => dataText(person)).toContain('"unlimited": true');
	await closeSettings(person);
	await person.say("old");
	await person.answer
		.getByText(/It is cloudy\./)
		.first()
		.waitFor();
	expect(asked).toEqual(["https://old.example.org/"]);
});

test("a provider, an address and a model's name are where the words go", async () => {
	const person = await seat();
	const asked: { url: string; model: unknown }[] = [];
	await person.page.route(/^https:\/\/(api\.groq\.com|models\.example\.org)\//, async (route) => {
		const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
		if (route.request().method() === "POST")
			asked.push({
				url: route.request().url(),
				model: (route.request().postDataJSON() as Record<string, unknown>)["model"],
			});
		const words = { error: { message: "No.", type: "invalid_request_error" } };
		await route.fulfill({ status: 403, headers, json: words });
	});
	const demo = person.model.requests.length;
	await choose(person, { Provider: "Groq", Model: "llama-test" });
	await person.say("hello");
	await person.readProblem();
	expect(asked.at(-1)).toEqual({
		url: "https://api.groq.com/openai/v1/chat/completions",
		model: "llama-test",
	});
	await choose(person, {
		Provider: "Custom endpoint",
		"Base URL": "https://models.example.org/v1",
		Model: "own-model",
	});
	await person.newConversation();
	await person.say("hello");
	await person.readProblem();
	expect(asked.at(-1)).toEqual({ url: "https://models.example.org/v1/chat/completions", model: "own-model" });
	expect(person.model.requests.length).toBe(demo);
});

/** Answers for hosts of models, and tells what was asked. */
async function models(person: Person, hosts: RegExp) {
	const asked: { url: string; headers: Record<string, string>; body: Record<string, unknown> }[] = [];
	await person.page.route(hosts, async (route) => {
		const request = route.request();
		const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
		if (request.method() === "POST")
			asked.push({
				url: request.url(),
				headers: request.headers(),
				body: request.postDataJSON() as Record<string, unknown>,
			});
		await route.fulfill({ status: 403, headers, json: { error: { message: "No." } } });
	});
	return asked;
}

test("headers go to the address that they were given for, and to no other; the query stays at the end", async () => {
	const person = await seat();
	const asked = await models(person, /^https:\/\/(one|two)\.example\.org\//);
	await choose(person, {
		Provider: "OpenAI",
		"Base URL": "https://one.example.org/v1/chat/completions?api-version=7",
	});
	// Headers belong to the address that the page shows when they are typed.
	await choose(person, { "Additional headers": "X-Team: garden" });
	await person.say("hello");
	await person.readProblem();
	expect(asked.at(-1)).toMatchObject({
		url: "https://one.example.org/v1/chat/completions?api-version=7",
		headers: { "x-team": "garden" },
	});
	const dialog = await openSettings(person);
	await dialog.getByRole("textbox", { name: "Base URL" }).fill("https://two.example.org/v1");
	await eventually(() => dialog.getByRole("textbox", { name: "Additional headers" }).inputValue()).toBe("");
	await closeSettings(person);
	await person.newConversation();
	await person.say("hello");
	await person.readProblem();
	expect(asked.at(-1)?.url).toBe("https://two.example.org/v1/responses");
	expect(asked.at(-1)?.headers).not.toHaveProperty("x-team");
});

test("how hard a model thinks is asked for by its name", async () => {
	const person = await seat();
	const asked = await models(person, /^https:\/\/one\.example\.org\//);
	await choose(person, {
		Provider: "OpenAI",
		"Base URL": "https://one.example.org/v1",
		Model: "thinker",
		Thinking: "High",
	});
	await person.say("hello");
	await person.readProblem();
	expect(asked.at(-1)?.body["reasoning"]).toEqual({ effort: "high", summary: "auto" });
	await choose(person, { Model: "other" });
	await person.newConversation();
	await person.say("hello");
	await person.readProblem();
	expect(asked.at(-1)?.body).not.toHaveProperty("reasoning");
});

test("how many tokens a model takes decides what is sent, and Test the connection says so", async () => {
	const person = await seat();
	const sent = () => person.model.requests.length;
	await choose(person, { Provider: "OpenAI", "Base URL": `${person.model.url}/v1`, Model: "demo" });
	await choose(person, { "Context window": 900 });
	expect(data(person)["windows"]).toEqual({ "openai demo": 900 });
	const before = sent();
	await person.say("hello");
	expect(await person.readProblem()).toContain("but the model takes 900");
	expect(sent()).toBe(before);
	// The number is this model's; another one's is empty.
	await choose(person, { "Context window": 6000 });
	const dialog = await openSettings(person);
	await dialog.getByRole("button", { name: "Test", exact: true }).click();
	await dialog
		.getByText(/The context window in the settings is used\. .*takes 6000 tokens at a time/)
		.waitFor();
	const field = dialog.getByRole("spinbutton", { name: "Context window" });
	await dialog.getByRole("textbox", { name: "Model", exact: true }).fill("other");
	await eventually(() => field.inputValue()).toBe("");
	await dialog.getByRole("textbox", { name: "Model", exact: true }).fill("demo");
	await eventually(() => field.inputValue()).toBe("6000");
	await closeSettings(person);
	await person.newConversation();
	await person.say("hello");
	await person.panel.getByText("I am the demo model").waitFor();
	expect(sent()).toBeGreaterThan(before);
});

test("an image is made as small as the setting says before it is sent", async () => {
	const person = await seat();
	/** Sends words with a picture of 400 by 200, and gives the size of what the model got. */
	async function size(): Promise<number[]> {
		const before = person.model.requests.length;
		await person.page.evaluate(async () => {
			const canvas = new OffscreenCanvas(400, 200);
			canvas.getContext("2d")!.fillRect(0, 0, 400, 200);
			const file = new File([await canvas.convertToBlob({ type: "image/png" })], "p.png", {
				type: "image/png",
			});
			const data = new DataTransfer();
			data.items.add(file);
			document
				.querySelector(".ea-panel textarea")!
				.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
		});
		await person.panel.getByRole("group", { name: "Image", exact: true }).waitFor();
		await person.say("What is in this picture?");
		await eventually(() => person.model.requests.length).toBe(before + 1);
		const body = JSON.stringify(person.model.requests.at(-1)?.body);
		const url = /"image_url":"([^"]+)"/.exec(body)?.[1] ?? "";
		return person.page.evaluate(async (url) => {
			const image = new Image();
			image.src = url;
			await image.decode();
			return [image.naturalWidth, image.naturalHeight];
		}, url);
	}
	expect(await size()).toEqual([400, 200]);
	await person.newConversation();
	await choose(person, { "Image size": 100 });
	expect(await size()).toEqual([100, 50]);
});

test("folders that are not among the allowed ones are neither written nor read; without a list all are", async () => {
	const person = await seat();
	const dialog = await openSettings(person);
	await dialog.getByRole("button", { name: "Add a folder" }).click();
	await person.page.getByRole("combobox").last().fill("Inbox");
	await person.page.keyboard.press("Enter");
	await eventually(() => data(person)["allowedRoots"]).toEqual(["Inbox"]);
	await closeSettings(person);
	await person.selectIdeas();
	await person.say(sentence);
	expect(await person.readProblem()).toContain("is outside the folders that the settings allow");
	expect(person.list("Projects/XYZ")).toEqual([]);
	await openSettings(person);
	await dialog
		.getByRole("button", { name: /^(Delete|Remove)/ })
		.first()
		.click();
	await eventually(() => data(person)["allowedRoots"]).toEqual([]);
	await closeSettings(person);
	await person.say(sentence);
	await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
});

test("excluded paths are not found by a search, and not written", async () => {
	const person = await seat();
	await person.say("Which notes mention rain barrel?");
	await person.answer.getByTitle("Daily/2026-11-20.md").first().waitFor();
	await choose(person, { "Excluded paths": "Daily/**\nProjects/XYZ/**" });
	expect(data(person)["denyPatterns"]).toEqual(["Daily/**", "Projects/XYZ/**"]);
	await person.say("Which notes mention rain barrel?");
	await eventually(() => person.answer.count()).toBe(2);
	await person.answer
		.last()
		.getByText(/Start here/)
		.first()
		.waitFor();
	expect(await person.answer.last().innerText()).not.toContain("2026-11-20");
	await person.selectIdeas();
	await person.say(sentence);
	expect(await person.readProblem()).toContain("under “Excluded paths”");
	expect(person.list("Projects/XYZ")).toEqual([]);
});

test("Enter starts a new line, and Shift+Enter runs, once the setting says so", async () => {
	const person = await seat();
	const message = person.panel.getByRole("textbox", { name: "Message" });
	const asked = () => person.model.requests.length;
	await message.fill("hello");
	await message.press("Enter");
	await eventually(asked).toBe(1);
	await choose(person, { "Enter starts a new line": true });
	await message.fill("hello");
	await message.press("Enter");
	expect(await message.inputValue()).toBe("hello\n");
	await eventually(() => person.button("Run").isEnabled()).toBe(true); // the first answer is over
	await message.press("Shift+Enter");
	await eventually(asked).toBe(2);
});
