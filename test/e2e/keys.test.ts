/** Where keys and words may go: real servers on this machine, the release, and a person who is asked. */
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Script } from "../playground/model/server.mjs";
import { eventually, leave, pluginFolder, sitDown, type Person } from "./person";
import { textsOf } from "./records";
import { choose, data } from "./settings-page";

afterAll(leave);

const key = "own-key-without-a-form-0123456789";
/** Pictures of the questions, where a folder for them is named. */
const pictures = process.env["PICTURES"];

interface Listener {
	url: string;
	host: string;
	/** The authorization headers of what was asked, beside preflights. */
	keys: (string | undefined)[];
}

/** A server on this machine. */
async function listen(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
	cors = true,
): Promise<Listener> {
	const keys: Listener["keys"] = [];
	const server = createServer((request, response) => {
		if (cors) {
			response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
			response.setHeader("access-control-allow-headers", "authorization, content-type");
		}
		if (request.method === "OPTIONS") return void response.writeHead(204).end();
		keys.push(request.headers.authorization);
		answer(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => void (server.closeAllConnections(), server.close()));
	const host = `127.0.0.1:${(server.address() as { port: number }).port}`;
	return { url: `http://${host}`, host, keys };
}

/** An answer of Chat Completions, in the pieces given. */
function says(response: ServerResponse, ...pieces: string[]): void {
	response.writeHead(200, { "content-type": "text/event-stream" });
	for (const content of pieces)
		response.write(`data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta: { content } }] })}\n\n`);
	const end = { id: "x", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
	response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
}

async function seat(
	settings: Record<string, unknown>,
	scripts: Script[] = [],
	width?: number,
): Promise<Person> {
	const person = await sitDown({ settings, model: { scripts }, ...(width ? { width } : {}) });
	onTestFinished(() => person.standUp());
	await person.page.evaluate(
		([key]) => {
			window.app.secretStorage.setSecret("k", key);
			window.app.secretStorage.setSecret("weather-key", "sunny-canary-0123456789");
		},
		[key] as const,
	);
	return person;
}

const custom = (url: string) => ({ provider: "custom", baseUrl: `${url}/v1`, keyName: "k", model: "m" });
const question = (person: Person) => person.panel.locator(".ea-question");
const press = (person: Person, name: string) =>
	question(person).getByRole("button", { name, exact: true }).click();

/** data.json as sync changes it, while the app runs. */
async function synced(person: Person, fields: Record<string, unknown>): Promise<void> {
	await person.page.evaluate(
		async ([path, fields]) => {
			const { adapter } = window.app.vault;
			const kept = JSON.parse(await adapter.read(path)) as Record<string, unknown>;
			await adapter.write(path, JSON.stringify({ ...kept, ...fields }));
		},
		[`${pluginFolder}/data.json`, fields] as const,
	);
}

/** All that the plugin keeps, in its folder and on this device, as one text. */
async function kept(person: Person): Promise<string> {
	const texts = [below(join(person.vault, pluginFolder))];
	for (const part of ["runs", "hot", "index", "traces"])
		texts.push(...(await textsOf(person.records, part, /\./)).values());
	return texts.join("\n");
}

function below(folder: string): string {
	return readdirSync(folder, { withFileTypes: true })
		.filter(({ name }) => !/\.(js|css)$/.test(name))
		.map((entry) =>
			entry.isDirectory()
				? below(join(folder, entry.name))
				: readFileSync(join(folder, entry.name), "latin1"),
		)
		.join("\n");
}

/** Pictures of a question, light and dark. */
async function picture(person: Person, name: string): Promise<void> {
	if (!pictures) return;
	mkdirSync(pictures, { recursive: true });
	for (const theme of ["theme-light", "theme-dark"]) {
		await person.page.evaluate((theme) => {
			document.body.classList.remove("theme-light", "theme-dark");
			document.body.classList.add(theme);
		}, theme);
		await question(person)
			.first()
			.screenshot({ path: join(pictures, `${name}-${theme}.png`) });
	}
}

test("a key goes to an address that this device knows; one that was changed elsewhere is shown first", async () => {
	const mine = await listen((_, response) => says(response, "I am yours."));
	const theirs = await listen((_, response) => says(response, "I am not."));
	const person = await seat(custom(mine.url));
	await person.say("hello");
	await question(person).getByText(`Send your key “k” to ${mine.host}?`).waitFor();
	expect(mine.keys).toEqual([]);
	await picture(person, "key");
	await press(person, "Allow");
	await person.panel.getByText("I am yours.").waitFor();
	expect(mine.keys).toEqual([`Bearer ${key}`]);
	await person.say("hello again");
	await eventually(() => mine.keys).toHaveLength(2);

	await synced(person, { baseUrl: `${theirs.url}/v1` });
	await person.restart();
	await person.say("hello");
	await question(person).getByText(`Send your key “k” to ${theirs.host}?`).waitFor();
	await press(person, "Don't allow");
	expect(await person.readProblem()).toContain("was not sent");
	expect(theirs.keys).toEqual([]);
	// Nothing that is synced says where a key may go.
	expect(person.read(`${pluginFolder}/data.json`)).not.toContain(mine.host);
});

test("another provider is not given the key of the one before", async () => {
	const mine = await listen((_, response) => says(response, "I am yours."));
	const person = await seat(custom(mine.url));
	await choose(person, { Provider: "Groq" });
	expect(data(person)).toMatchObject({ keyName: "", keyNames: { custom: "k" } });
	await choose(person, { Provider: "Custom endpoint" });
	expect(data(person)["keyName"]).toBe("k");
});

test("an endpoint that only the app's own client reaches is given a key after a yes that says what may happen", async () => {
	const far = await listen((_, response) => says(response, "You were led astray."));
	const near = await listen(
		(_, response) => response.writeHead(307, { location: `${far.url}/v1` }).end(),
		false,
	);
	const person = await seat(custom(near.url));
	await person.say("hello");
	await press(person, "Allow");
	await question(person).getByText("follows redirects", { exact: false }).first().waitFor();
	expect([...near.keys, ...far.keys]).toEqual([]);
	await picture(person, "redirects");
	await press(person, "Don't allow");
	await person.readProblem();
	expect([...near.keys, ...far.keys]).toEqual([]);
});

test("a key that the endpoint repeats in pieces is neither drawn nor kept", async () => {
	const mine = await listen((request, response) => {
		const sent = String(request.headers.authorization).replace("Bearer ", "");
		says(response, "You sent ", sent.slice(0, 5), sent.slice(5, 17), sent.slice(17), ", thank you.");
	});
	const person = await seat(custom(mine.url));
	await person.say("hello");
	await press(person, "Allow");
	await person.panel.getByText("You sent [redacted], thank you.").waitFor();
	await eventually(() => person.list(`${pluginFolder}/conversations`)).not.toEqual([]);
	expect(await person.page.content()).not.toContain(key);
	expect(await kept(person)).not.toContain(key);
});

const body = `${"Dear all, ".repeat(400)}\u202eEND\u200b of it`;
const scripts: Script[] = [
	{
		match: ["^send$"],
		reply: "I will send it.",
		plan: {
			version: 1,
			goal: "send",
			steps: [
				{
					id: "send",
					tool: "http.send",
					args: {
						url: "https://api.example.org/in?from=notes",
						headers: { Authorization: "Bearer {{secret:weather}}", "Content-Type": "text/plain" },
						body,
					},
				},
			],
		},
	},
	{
		match: ["^leak$"],
		reply: "I will look.",
		plan: {
			version: 1,
			goal: "leak",
			steps: [
				{ id: "read", tool: "vault.readFile", args: { path: "Home.md" } },
				{ id: "ask", tool: "http.request", args: { url: "https://api.example.org/?d=$steps.read.etag" } },
			],
		},
	},
];

const online = {
	allowHttp: true,
	httpHosts: [{ host: "api.example.org", methods: ["GET", "POST"] }],
	secrets: [{ name: "weather", scope: "device", secret: "weather-key", hosts: ["api.example.org"] }],
};

test.each([undefined, 300])(
	"what is sent is shown whole, and the key goes with it (width %s)",
	async (width) => {
		const person = await seat(online, scripts, width);
		const asked: { url: string; authorization: string | undefined; body: string | null }[] = [];
		await person.page.route("https://api.example.org/**", async (route) => {
			const request = route.request();
			if (request.method() !== "OPTIONS")
				asked.push({
					url: request.url(),
					authorization: (await request.allHeaders())["authorization"],
					body: request.postData(),
				});
			const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
			await route.fulfill({ status: 200, headers, contentType: "text/plain", body: "Thank you." });
		});
		await person.say("send");
		await person.plan.getByText("Will send data to api.example.org (POST).", { exact: false }).waitFor();
		await person.button("Approve").click();
		const card = question(person);
		await card.getByText("Send to https://api.example.org/in?from=notes (POST)?").waitFor();
		const words = await card.innerText();
		for (const word of [
			"POST",
			"https://api.example.org/in?from=notes",
			"“weather”",
			"Bearer {{secret:weather}}",
		])
			expect(words).toContain(word);
		expect(words.split("Dear all,")).toHaveLength(401);
		expect(words).toMatch(/⟨\w+⟩END⟨\w+⟩ of it/);
		expect(words).not.toContain("sunny-canary");
		expect(asked).toEqual([]);
		await picture(person, `send-${width ?? "wide"}`);
		await press(person, "Allow");
		await person.runEnds("ok");
		expect(asked).toEqual([
			{
				url: "https://api.example.org/in?from=notes",
				authorization: "Bearer sunny-canary-0123456789",
				body,
			},
		]);
		expect(await kept(person)).not.toContain("sunny-canary");
	},
);

test("a request that holds what was read in a note waits for a yes, and is not made after a no", async () => {
	const person = await seat(online, scripts);
	let asked = 0;
	await person.page.route("https://api.example.org/**", async (route) => {
		asked++;
		await route.fulfill({
			status: 200,
			headers: { "access-control-allow-origin": "*" },
			body: "It is sunny.",
		});
	});
	await person.say("leak");
	await question(person).getByText("may contain text from your notes", { exact: false }).waitFor();
	expect(asked).toBe(0);
	await picture(person, "request");
	await press(person, "Don't allow");
	expect(await person.readProblem()).toContain("You did not allow");
	expect(asked).toBe(0);
	await person.button("Cancel").click();
	await person.say("leak");
	await press(person, "Allow");
	await person.answer
		.getByText(/It is sunny\./)
		.first()
		.waitFor();
	expect(asked).toBe(1);
});
