/** The other end of `requestUrl`: a request made by the server, outside the page's CORS rules, buffered whole. */

export interface ProxyRequest {
	url: string;
	method: string;
	headers: Record<string, string>;
}

export interface ProxyAnswer {
	status: number;
	headers: Record<string, string>;
	body: Uint8Array;
}

const networkErrors: Record<string, string> = {
	ECONNREFUSED: "net::ERR_CONNECTION_REFUSED",
	ECONNRESET: "net::ERR_CONNECTION_RESET",
	UND_ERR_SOCKET: "net::ERR_CONNECTION_RESET",
	ENOTFOUND: "net::ERR_NAME_NOT_RESOLVED",
	EAI_AGAIN: "net::ERR_NAME_NOT_RESOLVED",
	ETIMEDOUT: "net::ERR_TIMED_OUT",
	UND_ERR_CONNECT_TIMEOUT: "net::ERR_TIMED_OUT",
	EHOSTUNREACH: "net::ERR_ADDRESS_UNREACHABLE",
	ENETUNREACH: "net::ERR_ADDRESS_UNREACHABLE",
	DEPTH_ZERO_SELF_SIGNED_CERT: "net::ERR_CERT_AUTHORITY_INVALID",
	SELF_SIGNED_CERT_IN_CHAIN: "net::ERR_CERT_AUTHORITY_INVALID",
};

/** Makes the request. Network failures become the texts that Chromium's network stack has for them. */
export async function proxy(request: ProxyRequest, body: Uint8Array): Promise<ProxyAnswer> {
	const { url, method, headers } = request;
	if (!/^https?:\/\//i.test(url)) throw new Error("net::ERR_UNKNOWN_URL_SCHEME");
	const withBody = body.length > 0 && method !== "GET" && method !== "HEAD";
	try {
		const init: RequestInit = { method, headers, redirect: "follow" };
		if (withBody) init.body = Buffer.from(body);
		const answer = await fetch(url, init);
		const bytes = new Uint8Array(await answer.arrayBuffer());
		return { status: answer.status, headers: Object.fromEntries(answer.headers), body: bytes };
	} catch (error) {
		throw new Error(networkErrors[causeCode(error)] ?? "net::ERR_FAILED", { cause: error });
	}
}

function causeCode(error: unknown): string {
	const cause = error instanceof Error ? error.cause : undefined;
	return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
