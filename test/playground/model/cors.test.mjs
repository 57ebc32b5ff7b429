import assert from "node:assert/strict";
import { test } from "node:test";
import { MAIN, planRequest, post, serve } from "./testkit.mjs";

const allowed = [
	"app://obsidian.md",
	"capacitor://localhost",
	"http://localhost",
	"http://127.0.0.1:41234",
	"http://playground.test",
	"http://vault.playground.test:8080",
];
const refused = [
	"https://example.org",
	"app://obsidian.md.example.org",
	"http://127.0.0.1.example.org",
	"http://localhost.example.org",
	"http://evil.test.example.org",
	"http://.test",
	"null",
];

const preflight = (server, origin) =>
	fetch(`${server.baseUrl}/responses`, {
		method: "OPTIONS",
		headers: {
			origin,
			"access-control-request-method": "POST",
			"access-control-request-headers": "authorization,content-type,x-demo",
			"access-control-request-private-network": "true",
		},
	});

test("a preflight from Obsidian's origins, from this machine and from .test is allowed", async (t) => {
	const server = await serve(t);
	for (const origin of allowed) {
		const answer = await preflight(server, origin);
		assert.equal(answer.status, 204, origin);
		assert.equal(answer.headers.get("access-control-allow-origin"), origin);
		assert.equal(answer.headers.get("access-control-allow-headers"), "authorization,content-type,x-demo");
		assert.match(answer.headers.get("access-control-allow-methods"), /POST/u);
		assert.equal(answer.headers.get("access-control-allow-private-network"), "true");
	}
});

test("a preflight from elsewhere gets no permission", async (t) => {
	const server = await serve(t);
	for (const origin of refused) {
		const answer = await preflight(server, origin);
		assert.equal(answer.status, 403, origin);
		assert.equal(answer.headers.get("access-control-allow-origin"), null, origin);
	}
});

test("the stream itself carries the permission, and so do errors", async (t) => {
	const server = await serve(t);
	for (const model of ["demo", "demo-401", "demo-429"]) {
		const answer = await post(server, planRequest(MAIN, { model }), {
			headers: { origin: "app://obsidian.md" },
		});
		assert.equal(answer.headers.get("access-control-allow-origin"), "app://obsidian.md", model);
		assert.match(answer.headers.get("access-control-expose-headers"), /retry-after/u);
		assert.equal(answer.headers.get("vary"), "Origin");
		await answer.text();
	}
});

test("a request without an origin needs no permission", async (t) => {
	const server = await serve(t);
	server.setCors(false);
	assert.equal((await post(server, planRequest(MAIN, { stream: false }))).status, 200);
});

test("with CORS switched off no origin is allowed, until it is switched on again", async (t) => {
	const server = await serve(t);
	server.setCors(false);
	assert.equal((await preflight(server, "app://obsidian.md")).status, 403);
	server.setCors(true);
	assert.equal((await preflight(server, "app://obsidian.md")).status, 204);
});
