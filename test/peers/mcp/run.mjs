// Talks to the MCP server as the official TypeScript client does, and fails where that client did not get what it must.
// Usage: node run.mjs VAULT COMMAND [ARGS…], where the command starts the server.
import assert from "node:assert/strict";
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [vault, command, ...args] = process.argv.slice(2);
const note = (name) => readFileSync(join(vault, name), "utf8");

/** A client with a server of its own. The person gives the answers in turn; without any, the client cannot ask. */
async function connect(answers) {
	const asked = [];
	const client = new Client(
		{ name: "typescript-client", version: "1.0" },
		{ capabilities: answers ? { elicitation: {} } : {} },
	);
	if (answers) {
		client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
			asked.push(params);
			return answers.shift();
		});
	}
	const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
	await client.connect(transport);
	const call = async (name, input = {}) => {
		const result = await client.callTool({ name, arguments: input });
		return { ...result, text: result.content.map((c) => c.text).join("") };
	};
	return { client, transport, asked, call };
}

const scenarios = {
	async "lists: every tool, resource and prompt"() {
		const { client } = await connect();
		const { tools } = await client.listTools(); // the client compiles each output schema, and checks results by it
		assert.ok(tools.length > 40, `want more than 40 tools, got ${tools.length}`);
		for (const tool of tools) assert.match(tool.name, /^[\w-]{1,64}$/);
		assert.ok((await client.listResources()).resources.some((r) => r.name === "List.md"));
		assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
		assert.ok((await client.listPrompts()).prompts.length > 0);
		const read = await client.readResource({ uri: "note:///List.md" });
		assert.equal(read.contents[0].text, note("List.md"));
		await assert.rejects(client.readResource({ uri: "note:///../../etc/passwd" }));
		await client.close();
	},

	async "a tool that fails says why"() {
		const { client, call } = await connect();
		const missing = await call("vault_readFile", { path: "Missing.md" });
		assert.ok(missing.isError && missing.text.includes("NOT_FOUND"), missing.text);
		const wrong = await call("vault_readFile", { note: 1 });
		assert.ok(wrong.isError && wrong.text.includes("VALIDATION_ERROR"), wrong.text);
		await assert.rejects(call("no_such_tool"));
		await client.close();
	},

	async "a server that is killed loses nothing, and a no changes nothing"() {
		const first = await connect();
		await first.call("vault_createFile", { path: "Staged.md", content: "by hand of an agent" });
		process.kill(first.transport.pid, "SIGKILL");
		const { client, call, asked } = await connect([
			{ action: "decline" },
			{ action: "accept", content: { approve: false } },
			{ action: "accept", content: { approve: true } },
		]);
		assert.equal(
			(await call("vault_readFile", { path: "Staged.md" })).structuredContent.content,
			"by hand of an agent",
		);
		for (let no = 0; no < 2; no++) {
			assert.match((await call("review_approve")).text, /did not approve/);
			assert.ok(!existsSync(join(vault, "Staged.md")), "want no note after a no");
		}
		assert.match((await call("review_approve")).text, /Done: 1 of 1/);
		assert.equal(note("Staged.md"), "by hand of an agent");
		assert.equal(asked.length, 3);
		assert.match(asked[0].message, /by hand of an agent/);
		await client.close();
	},

	async "a client that cannot ask is told where the person can answer"() {
		const { client, call } = await connect();
		await call("vault_createFile", { path: "Waiting.md", content: "x" });
		const said = await call("review_approve", {});
		assert.match(said.text, /embedded-agent review --vault/);
		assert.ok(!existsSync(join(vault, "Waiting.md")), "want no note without an answer");
		await client.close();
	},
};

let failed = 0;
for (const [name, run] of Object.entries(scenarios)) {
	try {
		await run();
		console.log(`ok   ${name}`);
	} catch (error) {
		failed++;
		console.log(`FAIL ${name}\n${error.stack}`);
	}
}
process.exit(failed === 0 ? 0 : 1);
