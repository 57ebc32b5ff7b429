import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const server = fileURLToPath(new URL("./server.mjs", import.meta.url));

test("as a command it prints its address, answers there, and ends when it is told to", async (t) => {
	const child = spawn(process.execPath, [server, "--port=0", "--delay=0"], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => child.kill("SIGKILL"));
	const [line] = await once(child.stdout, "data");
	const [, url] = /^The demo model listens at (http:\/\/127\.0\.0\.1:\d+\/v1)\n$/u.exec(line.toString());
	const models = await (await fetch(`${url}/models`)).json();
	assert.equal(models.data[0].id, "demo");
	child.kill("SIGTERM");
	assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("as a command it says so when its port is taken", async (t) => {
	const first = spawn(process.execPath, [server, "--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
	t.after(() => first.kill("SIGKILL"));
	const [line] = await once(first.stdout, "data");
	const [, port] = /:(\d+)\//u.exec(line.toString());
	const second = spawn(process.execPath, [server, `--port=${port}`], { stdio: ["ignore", "ignore", "pipe"] });
	const said = second.stderr.setEncoding("utf8").toArray();
	const [code] = await once(second, "exit");
	assert.equal(code, 1);
	assert.match((await said).join(""), /EADDRINUSE/u);
});
