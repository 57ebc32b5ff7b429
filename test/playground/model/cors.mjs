/** Who may call the demo model from a web page: Obsidian's own origins, and pages on this machine. */

const origins = [
	/^app:\/\/obsidian\.md$/u,
	/^capacitor:\/\/localhost$/u,
	/^https?:\/\/localhost(:\d+)?$/u,
	/^http:\/\/127\.0\.0\.1(:\d+)?$/u,
	/^https?:\/\/([a-z0-9-]+\.)*[a-z0-9-]+\.test(:\d+)?$/u,
];

/**
 * @param {string | undefined} origin the request's Origin header
 * @returns {boolean} false where there is none: such a request needs no permission
 */
export function isAllowedOrigin(origin) {
	return origin !== undefined && origins.some((pattern) => pattern.test(origin));
}

/**
 * Answers a preflight. The caller has set access-control-allow-origin where the origin is allowed; without that
 * header the browser refuses, whatever else is in the answer.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
export function preflight(request, response) {
	if (!response.hasHeader("access-control-allow-origin")) {
		response.writeHead(403, { "content-type": "text/plain" });
		response.end("This origin may not use the demo model.\n");
		return;
	}
	response.setHeader("access-control-allow-methods", "GET, POST, OPTIONS");
	response.setHeader(
		"access-control-allow-headers",
		request.headers["access-control-request-headers"] ?? "authorization, content-type",
	);
	// Chromium asks this before a page from elsewhere may talk to an address on this machine.
	if (request.headers["access-control-request-private-network"] === "true") {
		response.setHeader("access-control-allow-private-network", "true");
	}
	response.writeHead(204);
	response.end();
}
