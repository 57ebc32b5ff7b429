/** `requestUrl`: buffered, not bound by CORS, because the server makes the request. */
import type { Connection } from "../page/connection";
import { otherwise } from "./otherwise";

export interface RequestUrlParam {
	url: string;
	method?: string;
	contentType?: string;
	body?: string | ArrayBuffer;
	headers?: Record<string, string>;
	throw?: boolean;
}

export interface RequestUrlResponse {
	status: number;
	headers: Record<string, string>;
	arrayBuffer: ArrayBuffer;
	readonly json: unknown;
	readonly text: string;
}

export interface RequestUrlResponsePromise extends Promise<RequestUrlResponse> {
	arrayBuffer: Promise<ArrayBuffer>;
	json: Promise<unknown>;
	text: Promise<string>;
}

let connection: Connection | undefined;

/** Says through which connection requests go. */
export function setRequestConnection(to: Connection): void {
	connection = to;
}

/** Rejects at status 400 and above unless `throw` is false; `json` throws only when it is read. */
export function requestUrl(request: RequestUrlParam | string): RequestUrlResponsePromise {
	const promise = send(typeof request === "string" ? { url: request } : request);
	// Whoever reads only one of these must not get the others' rejections as unhandled.
	const part = <T>(read: (response: RequestUrlResponse) => T): Promise<T> => {
		const derived = promise.then(read);
		derived.catch(() => undefined);
		return derived;
	};
	return Object.defineProperties(promise, {
		arrayBuffer: { get: () => part((response) => response.arrayBuffer) },
		json: { get: () => part((response) => response.json) },
		text: { get: () => part((response) => response.text) },
	}) as RequestUrlResponsePromise;
}

/** The text of the answer. */
export async function request(param: RequestUrlParam | string): Promise<string> {
	return (await requestUrl(param)).text;
}

async function send(param: RequestUrlParam): Promise<RequestUrlResponse> {
	if (!connection) throw new Error("requestUrl was used before the app was there.");
	const headers: Record<string, string> = { ...param.headers };
	const hasType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
	if (param.contentType && !hasType) headers["Content-Type"] = param.contentType;
	const body =
		typeof param.body === "string"
			? new TextEncoder().encode(param.body)
			: new Uint8Array(param.body ?? new ArrayBuffer(0));
	const method = (param.method ?? "GET").toUpperCase();
	const reply = await connection
		.call("request", { url: param.url, method, headers }, body)
		.catch((error: unknown) => {
			throw otherwise("request.refused") ? new Error("Load failed") : error;
		});
	const { status, headers: answered } = reply.result as { status: number; headers: Record<string, string> };
	if (status >= 400 && param.throw !== false)
		throw Object.assign(new Error(`Request failed, status ${status}`), { status, headers: answered });
	return response(status, answered, reply.body.slice().buffer);
}

function response(
	status: number,
	headers: Record<string, string>,
	arrayBuffer: ArrayBuffer,
): RequestUrlResponse {
	return {
		status,
		headers,
		arrayBuffer,
		get text() {
			return new TextDecoder().decode(arrayBuffer);
		},
		get json() {
			return JSON.parse(new TextDecoder().decode(arrayBuffer)) as unknown;
		},
	};
}
