/** What a model or its provider gets wrong: a sentence that tells what to do, or a plan that was mended. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashFolder } from "./harness";
import { eventually, leave, sentence, sitDown, type Person } from "./person";

let person: Person;
let before: Record<string, string>;

beforeAll(async () => {
	person = await sitDown();
	before = hashFolder(person.vault);
	await person.selectIdeas();
});
beforeEach(async () => {
	person.model.setFault(null);
	if (await person.plan.isVisible()) await person.button("Cancel").click();
	await person.newConversation();
	await person.panel.getByText("What would you like to change?").waitFor();
});
afterAll(async () => {
	await person?.standUp();
	await leave();
});

/** How many requests the model has had. */
const asked = () => person.model.requests.length;

describe("a provider that fails", () => {
	test.each([
		["401", "refused the key", "Open the settings and enter a valid key"],
		["404", "does not know this model or address", "Check both in the settings"],
		["html", "returned a web page", "Check the address in the settings"],
		["empty-stream", "returned an empty answer", "choose another model"],
		["cut", "broke", "Try again"],
		["error-event", "", "Try again"],
		["failed", "", "Try again"],
	])("%s is told with what to do, and changes nothing", async (fault, says, remedy) => {
		person.model.setFault(fault);
		await person.say(sentence);
		const text = await person.readProblem();
		expect(text).toContain(says);
		expect(text).toContain(remedy);
		expect(await person.plan.count()).toBe(0);
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("a refused key offers the settings, and they open at this plugin", async () => {
		person.model.setFault("401");
		await person.say(sentence);
		await person.problem.getByRole("button", { name: "Open settings" }).click();
		await person.page.getByRole("dialog", { name: "Settings" }).getByText("Ask before a run").waitFor();
		await person.page.keyboard.press("Escape");
	});

	test("429 with Retry-After is waited for as long as it says, told meanwhile, and the plan comes", async () => {
		person.model.setFault({ name: "429", times: 1, retryAfter: 2 });
		const requests = asked();
		await person.say(sentence);
		await person.panel
			.locator(".ea-phase", { hasText: /asks for a pause\.\s*Trying again in \d seconds?\./ })
			.waitFor();
		await person.button("Approve").waitFor();
		expect(asked()).toBe(requests + 2);
	});

	test("429 that asks for a long wait is told with the time and what to do", async () => {
		person.model.setFault({ name: "429", retryAfter: 3600 });
		await person.say(sentence);
		expect(await person.readProblem()).toMatch(
			/has received too many requests .* Try again later, or choose another model\./,
		);
		await person.problem
			.getByText("Try again in 3,600 seconds.")
			.or(person.problem.getByText("Try again in 3600 seconds."))
			.waitFor();
	});

	test("500 once is tried again without a word of the person", async () => {
		person.model.setFault({ name: "500", times: 1 });
		await person.say(sentence);
		await person.button("Approve").waitFor();
	});

	test("a silent stream can be stopped", async () => {
		person.model.setFault("silent");
		await person.say(sentence);
		await person.panel.getByText("I will make one note").waitFor();
		await person.button("Cancel").click();
		await person.panel.getByRole("article").getByText("Cancelled.").waitFor();
	});

	test("a refusal is shown as the model's answer", async () => {
		person.model.setFault("refusal");
		await person.say(sentence);
		await person.panel.getByText("I'm sorry, but I can't help with that.").waitFor();
		expect(await person.plan.count()).toBe(0);
	});
});

describe("a model whose plan is wrong", () => {
	test.each([
		["bad-json", "not valid JSON"],
		["unknown-tool", "vault.makeCoffee"],
		["unknown-field", "priority"],
		["cycle", "runs only after this one (selection → replace → links → notes → bullets → selection)"],
		["empty-plan", "no steps"],
	])(
		"%s is sent back twice, then told in words, with its reason in the details, and changes nothing",
		async (fault, reason) => {
			person.model.setFault(fault);
			const requests = asked();
			await person.say(sentence);
			const text = await person.readProblem();
			expect(text).toContain("Nothing was changed. Rephrase your request");
			expect(text).not.toContain("ubmit");
			const details = await person.panel.locator(".ea-problem details").textContent();
			expect(details?.replaceAll(",", "")).toContain(reason);
			expect(asked() - requests).toBe(3);
			expect(hashFolder(person.vault)).toEqual(before);
		},
	);

	test("a plan with more steps than the settings allow is told in the settings' own words, and changes nothing", async () => {
		person.model.setFault("10000-steps");
		const requests = asked();
		await person.say(sentence);
		expect(await person.readProblem()).toMatch(
			/The plan has 10,000 steps, and the settings allow 500\. Ask for less at once, or raise .Steps per plan. in the settings\./,
		);
		expect(asked() - requests).toBe(3);
		expect(hashFolder(person.vault)).toEqual(before);
	});

	test("a plan that is cut off at the output limit says so", async () => {
		person.model.setFault("incomplete");
		await person.say(sentence);
		expect(await person.readProblem()).toMatch(/broke off before its end/);
		expect(await person.plan.count()).toBe(0);
	});

	test("a plan that is wrong once is mended before the person sees it", async () => {
		person.model.setFault({ name: "unknown-tool", times: 1 });
		const requests = asked();
		await person.say(sentence);
		await person.button("Approve").waitFor();
		expect(asked() - requests).toBe(2);
		expect(JSON.stringify(person.model.requests.at(-1)?.body)).toContain(
			"There is no tool “vault.makeCoffee”",
		);
	});

	test("a plan that is right only the third time is shown", async () => {
		person.model.setFault("wrong-twice");
		await person.say(sentence);
		await person.button("Approve").waitFor();
		await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
	});
});

test("an endpoint that takes no temperature is asked without one", async () => {
	person.model.setFault("no-temperature");
	await person.say(sentence);
	await person.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
});

describe("an image that goes along", () => {
	/** The images in the last request that the model got. */
	const seen = () =>
		[...JSON.stringify(person.model.requests.at(-1)?.body).matchAll(/"image_url":"([^"]+)"/g)].map(
			([, url]) => url ?? "",
		);

	/** Sends words with an image, as the panel does. */
	const send = (image: { name: string; type: string; data: string }) =>
		person.page.evaluate(async (image) => {
			const plugin = window.app.plugins.plugins["embedded-agent"] as unknown as {
				panel(): Promise<{ ask(method: string, params: object): Promise<unknown> }>;
			};
			const attached = [{ kind: "image", ...image }];
			const controller = await plugin.panel();
			await controller.ask("send", {
				text: "What is in this picture?",
				mode: "plan",
				conversation: "",
				dryRun: false,
				useSelection: false,
				attached,
			});
		}, image);

	/** Noise, which no format makes small, as a base64 file of a type. */
	const noise = (width: number, height: number, type: string) =>
		person.page.evaluate(
			async ([width, height, type]) => {
				const canvas = new OffscreenCanvas(width, height);
				const pen = canvas.getContext("2d")!;
				const pixels = pen.createImageData(width, height);
				const words = new Uint32Array(pixels.data.buffer);
				for (let i = 0, seed = 1; i < words.length; i++) {
					seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
					words[i] = seed | 0xff000000;
				}
				pen.putImageData(pixels, 0, 0);
				const bytes = new Uint8Array(await (await canvas.convertToBlob({ type })).arrayBuffer());
				let text = "";
				for (let i = 0; i < bytes.length; i += 0x8000)
					text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
				return btoa(text);
			},
			[width, height, type] as const,
		);

	const sizeOf = (url: string) =>
		person.page.evaluate(async (url) => {
			const image = new Image();
			image.src = url;
			await image.decode();
			return [image.naturalWidth, image.naturalHeight];
		}, url);

	test("as it is, where it fits", async () => {
		const data = await noise(60, 40, "image/png");
		await send({ name: "small.png", type: "image/png", data });
		await eventually(seen).toEqual([`data:image/png;base64,${data}`]);
	});

	test("is made small by the engine where it is too large, in its form and under the limit", async () => {
		const data = await noise(2400, 1200, "image/png");
		expect(data.length).toBeGreaterThan(8_000_000);
		await send({ name: "large.png", type: "image/png", data });
		await eventually(() => seen()[0]?.startsWith("data:image/jpeg;base64,")).toBe(true);
		const url = seen()[0]!;
		expect(url.length).toBeLessThan(1_450_000); // a megabyte in base64
		const [width, height] = await sizeOf(url);
		expect(width).toBeLessThanOrEqual(1568);
		expect(width).toBe(height! * 2);
	});

	test("is left out, and that is said, where it is no image", async () => {
		await send({ name: "broken.png", type: "image/png", data: btoa("not a picture") });
		await person.panel.getByText("broken.png was left out").waitFor();
		expect(seen()).toEqual([]);
	});
});

describe("an endpoint that cannot do all", () => {
	let other: Person;
	beforeAll(async () => {
		other = await sitDown();
		await other.selectIdeas();
	});
	afterAll(async () => {
		await other?.standUp();
	});

	test.each([
		["no-stream", "They arrive in one piece."],
		["no-tools", "cannot call tools. The plugin asks in another way"],
	])("%s: it is asked in another way, which is said once and remembered", async (fault, says) => {
		other.model.setFault(fault);
		const before = other.model.requests.length;
		await other.say(sentence);
		await other.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
		await other.panel.getByText(says).waitFor();
		expect(other.model.requests.length - before).toBe(2);

		await other.button("Cancel").click();
		await other.newConversation();
		await other.say(sentence);
		await other.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
		expect(other.model.requests.length - before).toBe(3);
		expect(await other.panel.getByText(says).count()).toBe(0);
		await other.button("Cancel").click();
		await other.newConversation();
	});
});

describe("a model server that does not let apps read its answers (CORS)", () => {
	let other: Person;
	beforeAll(async () => {
		other = await sitDown();
		other.model.setCors(false);
		await other.selectIdeas();
	});
	afterAll(async () => {
		await other?.standUp();
	});
	const off = () => other.panel.getByText("Streaming is off for this endpoint");

	test("is reached by the app's own client, with the same plan, and the panel says that streaming is off", async () => {
		await other.say(sentence);
		await other.plan.getByText("Will create 10 notes under Projects/XYZ").waitFor();
		await off().first().waitFor();
		expect(await off().first().textContent()).toContain(new URL(other.model.url).host);
		// The page's own attempts never became requests: what the model got came from the app's client.
		expect(other.model.requests).toHaveLength(1);
	});

	test("is not said again for the next instruction, nor is the refused way tried", async () => {
		await other.button("Cancel").click();
		await other.newConversation();
		const blocked = () => other.playground.errors.filter((error) => /CORS/.test(error)).length;
		const before = blocked();
		await other.say(sentence);
		await other.button("Approve").waitFor();
		expect(await off().count()).toBe(0);
		expect(blocked()).toBe(before);
	});

	test("whose refusals reach the person with the provider's own words", async () => {
		await other.button("Cancel").click();
		other.model.setFault("401");
		await other.say(sentence);
		expect(await other.readProblem()).toContain("refused the key");
		await eventually(() => other.plan.count()).toBe(0);
	});
});

test("none of it left an error on the console, other than the browser's own words about refused requests", () => {
	const own = person.playground.errors.filter((error) => !/Failed to load resource|net::ERR/.test(error));
	expect(own).toEqual([]);
});
