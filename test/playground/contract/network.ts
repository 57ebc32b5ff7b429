/** `requestUrl`. The test server answers `/status/N`, `/json`, `/text`, `/headers`, `/refused`
 * (the address of a port where nobody listens), and never allows CORS. */
import { equal, ok, rejects, type ContractCase } from "./host";

export const networkCases: ContractCase[] = [
	{
		behaviour: "request.throws",
		needsHttp: true,
		async run({ obsidian, http }) {
			await rejects(obsidian.requestUrl(`${http}/status/404`), "Request failed, status 404");
			await rejects(obsidian.requestUrl({ url: `${http}/status/500` }), "Request failed, status 500");
			equal((await obsidian.requestUrl(`${http}/status/399`)).status, 399);
		},
	},
	{
		behaviour: "request.noThrow",
		needsHttp: true,
		async run({ obsidian, http }) {
			const answer = await obsidian.requestUrl({ url: `${http}/status/429`, throw: false });
			equal([answer.status, answer.text, answer.headers["retry-after"]], [429, "status 429", "7"]);
		},
	},
	{
		behaviour: "request.lazyJson",
		needsHttp: true,
		async run({ obsidian, http }) {
			const answer = await obsidian.requestUrl(`${http}/text`);
			equal(answer.text, "not json");
			let threw = false;
			try {
				void answer.json;
			} catch {
				threw = true;
			}
			ok(threw, "reading .json of what is not JSON throws");
			equal(await obsidian.requestUrl(`${http}/json`).json, { a: [1] }, "the promise has the parts too");
		},
	},
	{
		behaviour: "request.cors",
		needsHttp: true,
		async run({ obsidian, http }) {
			const { headers } = (await obsidian.requestUrl({ url: `${http}/headers`, headers: { "X-Test": "1" } }))
				.json as {
				headers: Record<string, string>;
			};
			equal(headers["x-test"], "1");
			await rejects(window.fetch(`${http}/headers`), /./);
		},
	},
	{
		behaviour: "request.body",
		needsHttp: true,
		async run({ obsidian, http }) {
			const param = {
				url: `${http}/headers`,
				method: "POST",
				contentType: "application/json",
				body: '{"é":1}',
			};
			const answer = (await obsidian.requestUrl(param)).json as {
				method: string;
				body: string;
				headers: Record<string, string>;
			};
			equal(
				[answer.method, answer.body, answer.headers["content-type"]],
				["POST", '{"é":1}', "application/json"],
			);
		},
	},
	{
		behaviour: "request.refused",
		needsHttp: true,
		async run({ obsidian, http }) {
			const { text } = await obsidian.requestUrl(`${http}/refused`);
			await rejects(obsidian.requestUrl(text), /ERR_CONNECTION_REFUSED/);
		},
	},
];
