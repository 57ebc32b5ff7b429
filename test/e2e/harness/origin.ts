import type { Page } from "playwright-core";

/**
 * Makes the page's requests to other hosts look as if the real app sent them: their `Origin` is the app's, and an
 * answer that allows that origin allows the page. Whether it is allowed stays the other host's decision. Bodies are
 * not touched, so streams stay streams. (Through the DevTools protocol's Fetch domain.)
 */
export async function rewriteOrigin(page: Page, own: string, origin: string): Promise<void> {
	const ownOrigin = new URL(own).origin;
	const session = await page.context().newCDPSession(page);
	// A request may still be paused when the page closes: then nobody waits for an answer.
	const answer: typeof session.send = async (method, params) => {
		try {
			return await session.send(method, params);
		} catch (error) {
			if (!String(error).includes("has been closed")) throw error;
			return undefined as never;
		}
	};
	session.on(
		"Fetch.requestPaused",
		({ requestId, request, responseStatusCode, responseHeaders, responseErrorReason }) => {
			const foreign = new URL(request.url).origin !== ownOrigin;
			const answered = responseStatusCode !== undefined || responseErrorReason !== undefined;
			if (!foreign) return void answer("Fetch.continueRequest", { requestId });
			if (!answered) {
				const kept = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== "origin");
				const headers = [...kept, ["Origin", origin] as const].map(([name, value]) => ({ name, value }));
				return void answer("Fetch.continueRequest", { requestId, headers });
			}
			if (responseStatusCode === undefined) return void answer("Fetch.continueRequest", { requestId });
			const allowed = (responseHeaders ?? []).map(({ name, value }) => {
				const allows = name.toLowerCase() === "access-control-allow-origin" && value === origin;
				return { name, value: allows ? ownOrigin : value };
			});
			return void answer("Fetch.continueResponse", {
				requestId,
				responseCode: responseStatusCode,
				responseHeaders: allowed,
			});
		},
	);
	await session.send("Fetch.enable", {
		patterns: [
			{ urlPattern: "http*", requestStage: "Request" },
			{ urlPattern: "http*", requestStage: "Response" },
		],
	});
}
